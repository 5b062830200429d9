// SPDX-License-Identifier: MIT
// What the rest of the lab knows of a target: a text that names it, and a machine that can be
// brought up from it, any number of times. Nothing above this line knows whether that machine is a
// process, a virtual machine or a simulation.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab {

enum class Arch { x86_64, arm64, riscv64, s390x, loongarch64 };

/// "x86_64", "arm64", …: the names used everywhere in the product.
[[nodiscard]] std::string_view name(Arch arch);
/// Accepts the product's names and the common others (amd64, x86-64, aarch64, …).
[[nodiscard]] std::optional<Arch> arch_from_name(std::string_view text);

/// Where the time comes from (docs/design.md, Vocabulary).
enum class Grade { hardware, virtualised, emulated, simulated };
[[nodiscard]] std::string_view name(Grade grade);

/// What a time verdict speaks of: layouts drawn anew for every replicate, or this pair of fixed
/// images.
enum class Scope { layouts, images };
[[nodiscard]] std::string_view name(Scope scope);

/// A target's text, taken apart: `linux:bzImage,append="a b",cpu=max` is kind "linux", subject
/// "bzImage", options {append: a b, cpu: max} in the order given.
struct TargetSpec {
    std::string text;     ///< as given by the user
    std::string kind;     ///< host, linux, sim, …
    std::string subject;  ///< what follows the colon, empty for host
    std::vector<std::pair<std::string, std::string>> options;

    /// The value of an option, or nothing where it was not given.
    [[nodiscard]] std::optional<std::string_view> option(std::string_view key) const;
};

/// Takes a target's text apart. Knows the grammar alone; open_target() knows which options exist.
[[nodiscard]] Result<TargetSpec> parse_target(std::string_view text);

/// What a workload run is asked to do. `hollow` replaces the trap instruction by a no-op: what then
/// remains is the user loop, whose instructions `count` states.
struct Work {
    std::string workload = "getpid";
    bool hollow = false;
};

/// Hardware counters over one batch, kernel side only; a counter that the machine lacks stays
/// empty.
struct CounterReading {
    /// Where Launch::count has them counted one by one: all that the batch executed, in loop and
    /// path.
    std::optional<std::uint64_t> instructions;
    std::optional<std::uint64_t> cycles;
    std::optional<std::uint64_t> branch_misses;
    std::optional<std::uint64_t> l1i_misses;
};

/// One batch as it was measured.
struct Sample {
    std::uint64_t ops = 0;
    std::uint64_t elapsed_ns = 0;  ///< by the target's CLOCK_MONOTONIC
    std::uint64_t ticks = 0;       ///< by the target's user-readable counter; 0 where there is none
    CounterReading counters;
};

/// What the agent says of the machine it runs on.
struct Identity {
    std::string arch;
    std::string kernel_release;  ///< uname -r
    std::string kernel_version;  ///< uname -v
    std::uint64_t page_size = 0;
    std::string counter;           ///< rdtsc, cntvct, rdtime, stckf or rdtime.d
    std::uint64_t counter_hz = 0;  ///< 0 where the agent cannot know it
    std::vector<std::pair<std::string, unsigned>> workloads;  ///< name and system calls per op
    /// While instructions are counted: those that each system call executes and the counter leaves
    /// out.
    unsigned uncounted_per_call = 0;
};

/// Facts about a target that are stored with a run, as key and value (image hash, build id, QEMU
/// version, CPU model, command line, governor, mitigations, …).
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// What of a machine's kernel lies at an address, as its /proc/kallsyms has it.
struct KernelSymbol {
    /// Who may refer to a name: everybody (`T`), its own source file (`t`), or everybody unless
    /// another one overrides it (`W`, `w`).
    enum class Reach : std::uint8_t { global, local, weak };
    struct Name {
        std::string text;
        Reach reach = Reach::global;
    };
    std::uint64_t start = 0;
    std::uint64_t end = 0;    ///< where the next symbol begins; 0 where nothing is known
    std::vector<Name> names;  ///< empty where it is no code
};

/// One arm of one replicate, brought up. Destroying it ends it: no process or socket remains.
class Machine {
public:
    Machine() = default;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    virtual ~Machine() = default;

    /// Waits until the agent answers, identifies it and sets its treatments up. Call it once,
    /// first.
    [[nodiscard]] virtual Result<void> wait_ready() = 0;
    [[nodiscard]] virtual const Identity& identity() const = 0;
    /// The number of ops after which a batch lasts at least `at_least`.
    [[nodiscard]] virtual Result<std::uint64_t> calibrate(const Work& work,
                                                          std::chrono::nanoseconds at_least) = 0;
    [[nodiscard]] virtual Result<Sample> run(const Work& work, std::uint64_t ops) = 0;
    /// Checks that the calls of the workload enter the kernel; the text says what was checked.
    [[nodiscard]] virtual Result<std::string> prove(const Work& work) = 0;
    /// Stops the machine so that another one can have the CPU to itself, and lets it go on.
    [[nodiscard]] virtual Result<void> pause() = 0;
    [[nodiscard]] virtual Result<void> go_on() = 0;
    /// Has the agent read its kernel's symbols, for symbol_at(): their number. Fault::environment,
    /// in a sentence, where the kernel has none or hides them, or where there is no kernel.
    [[nodiscard]] virtual Result<std::uint64_t> read_symbols() {
        return fail(Fault::environment, "it has no kernel of its own");
    }
    /// What holds an address of the kernel.
    [[nodiscard]] virtual Result<KernelSymbol> symbol_at(std::uint64_t /*address*/) {
        return KernelSymbol{};
    }
    /// The last lines that the machine printed beside the protocol, oldest first.
    [[nodiscard]] virtual std::vector<std::string> console_tail() const = 0;
};

/// Who writes executed instructions down: the recorder in QEMU (recorder/), or the lab, which has
/// QEMU's gdb stub, or ptrace(2), execute them one by one.
enum class RecordedBy : std::uint8_t { plugin, single_steps };

/// How far a recording by single steps is.
struct StepProgress {
    std::uint64_t rounds = 0;  ///< ops that are through
    std::uint64_t rounds_wanted = 0;
    std::uint64_t instructions = 0;  ///< executed so far, by the user and by the kernel
};

/// What is to be recorded of a machine: the instructions that a workload's calls execute.
struct Recording {
    std::string workload = "getpid";
    std::uint64_t warm_up = 1000;     ///< ops before recording begins, in a guest
    std::uint64_t rounds = 100;       ///< ops to record: so many round trips of each call
    std::uint64_t limit = 1'000'000;  ///< instructions of one round trip, at most
    int fd = -1;                      ///< the file that gets the trace (docs/trace.md)
    RecordedBy by = RecordedBy::plugin;
    /// Called now and then while single steps are made; may be empty.
    std::function<void(const StepProgress&)> progress = {};

    /// Ops that a machine must run to be recorded, and some that may go by while the recorder gets
    /// ready.
    [[nodiscard]] std::uint64_t ops() const { return warm_up + rounds + 10; }
};

/// How one machine is to be brought up.
struct Launch {
    int cpu = -1;            ///< CPU to pin the machine to; -1: not pinned
    bool count = false;      ///< count instructions: where can_count() says so
    std::uint64_t seed = 0;  ///< of the run: whatever is drawn, is drawn from it
    std::uint32_t replicate = 0;
    std::uint32_t arm = 0;
    /// Record paths: where can_count() says so. By the plugin, the machine comes with the request
    /// to run Recording::ops() of the workload and carries it out before it is ready;
    /// Machine::run() tells how that ended. It executes the same instructions every time, to the
    /// last one, until then.
    const Recording* recording = nullptr;
    /// Where code and data lie is not drawn at boot: what is true of a recorded machine then holds
    /// in this one too.
    bool fixed_addresses = false;
};

/// How the user comes into what is measured: by a trap instruction, or by a call, which then stands
/// for it everywhere (docs/entry.md, hosted).
enum class Entrance : std::uint8_t { trap, call };

class Target {
public:
    Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    virtual ~Target() = default;

    [[nodiscard]] virtual const TargetSpec& spec() const = 0;
    [[nodiscard]] virtual Grade grade() const = 0;
    [[nodiscard]] virtual Scope scope() const = 0;
    [[nodiscard]] virtual Entrance entrance() const { return Entrance::trap; }
    /// Whether Launch::count works here.
    [[nodiscard]] virtual bool can_count() const = 0;
    /// Two targets with the same layout key have the same code at the same addresses apart from
    /// what is drawn for every replicate (an image's hash, for example).
    [[nodiscard]] virtual std::string layout_key() const = 0;
    [[nodiscard]] virtual Provenance provenance() const = 0;
    /// Sentences that the report must carry (for example why KVM is not used).
    [[nodiscard]] virtual std::vector<std::string> remarks() const = 0;
    /// Whether the recorder can be loaded where can_count() says so; else Fault::environment, in a
    /// sentence.
    [[nodiscard]] virtual Result<void> check_recorder() const { return {}; }
    /// Starts a machine and returns at once; several can start side by side.
    [[nodiscard]] virtual Result<std::unique_ptr<Machine>> launch(const Launch& how) = 0;
};

/// Makes a target from its text: checks every option, reads the image, finds QEMU, determines the
/// grade. Starts nothing that outlives the call.
[[nodiscard]] Result<std::unique_ptr<Target>> open_target(const TargetSpec& spec);

/// parse_target() and open_target() in one.
[[nodiscard]] Result<std::unique_ptr<Target>> open_target(std::string_view text);

}  // namespace kerntoll::lab
