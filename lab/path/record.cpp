// SPDX-License-Identifier: MIT
#include "lab/path/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "lab/path/guest_symbols.hpp"
#include "lab/path/symbols_elf.hpp"
#include "lab/target/memory_file.hpp"

namespace kerntoll::lab::path {
namespace {

namespace fs = std::filesystem;

// A machine that runs from one breakpoint to the next does a few hundred ops a second, and some ten
// thousand single steps.
constexpr std::uint64_t plugin_warm_up = 1000;
constexpr std::uint64_t step_warm_up = 50;
constexpr std::uint64_t plugin_rounds = 100;
constexpr std::uint64_t step_rounds = 20;

std::string fact(const Target& target, std::string_view key) {
    for (const auto& [name, value] : target.provenance()) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

/// What another process wrote to a file that this one made.
std::string content(int fd) {
    std::string bytes;
    std::array<char, 65536> part{};
    ssize_t got = 0;
    while ((got = pread(fd, part.data(), part.size(), static_cast<off_t>(bytes.size()))) > 0) {
        bytes.append(part.data(), static_cast<std::size_t>(got));
    }
    return bytes;  // what could not be read is found missing by its reader
}

/// A trace and the machine that it was recorded in, which still runs.
struct Recorded {
    Trace trace;
    std::unique_ptr<Machine> machine;
    /// Why the guest cannot be asked for its symbols; empty where it can.
    std::string no_symbols = "nobody asked it";
};

enum class GuestSymbols : std::uint8_t { not_needed, wanted };

/// Runs the workload in a machine and reads what was written down of it.
Result<Recorded> record(Target& target, const Wanted& wanted, RecordedBy by, GuestSymbols symbols) {
    const bool steps = by == RecordedBy::single_steps;
    auto file = MemoryFile::create("trace");
    if (!file) {
        return std::unexpected(file.error());
    }
    Recording recording{.workload = wanted.workload,
                        .warm_up = steps ? step_warm_up : plugin_warm_up,
                        .rounds = wanted.rounds.value_or(steps ? step_rounds : plugin_rounds),
                        .fd = file->fd(),
                        .by = by,
                        .progress = wanted.progress};
    auto machine = target.launch({.recording = &recording});
    if (!machine) {
        return std::unexpected(machine.error());
    }
    if (auto ready = (*machine)->wait_ready(); !ready) {
        return std::unexpected(ready.error());
    }
    Recorded recorded;
    if (symbols == GuestSymbols::wanted) {
        // Before the recording, after which the recorder's hooks make all code slow.
        const auto read = (*machine)->read_symbols();
        if (!read && read.error().fault != Fault::environment) {
            return std::unexpected(read.error());
        }
        recorded.no_symbols = read ? std::string() : read.error().message;
    }
    const std::uint64_t spare = 10;
    if (auto ran = (*machine)->run({.workload = wanted.workload},
                                   recording.warm_up + recording.rounds + spare);
        !ran) {
        return std::unexpected(ran.error());
    }
    auto trace = read_trace(content(file->fd()));
    if (!trace) {
        return std::unexpected(trace.error());
    }
    if (trace->end == trace_format::End::too_long) {
        return fail(Fault::measurement,
                    fmt::format("a call of {} on {} did not come back to user mode within {} "
                                "instructions; it waits for something, so it has no path",
                                wanted.workload, target.spec().text, recording.limit));
    }
    if (trace->variants.empty()) {
        return fail(Fault::measurement,
                    fmt::format("no call of {} on {} came to its end while the recorder watched; "
                                "run the command again",
                                wanted.workload, target.spec().text));
    }
    recorded.trace = *std::move(trace);
    recorded.machine = *std::move(machine);
    return recorded;
}

/// The address of the trap instruction that a variant begins with.
std::uint64_t trap_of(const Trace& trace, const Variant& variant) {
    return trace.instructions[variant.path.steps.front()].address;
}

/// The trap instructions of the path's variants, by address: one for each call of an op.
std::vector<std::uint64_t> calls_of(const Trace& trace) {
    std::vector<std::uint64_t> addresses;
    addresses.reserve(trace.variants.size());
    for (const Variant& variant : trace.variants) {
        addresses.push_back(trap_of(trace, variant));
    }
    std::ranges::sort(addresses);
    const auto [first, last] = std::ranges::unique(addresses);
    addresses.erase(first, last);
    return addresses;
}

bool is_elf(const fs::path& file) {
    std::string start(4, '\0');
    std::ifstream(file, std::ios::binary).read(start.data(), std::ssize(start));
    return ElfFile::is_elf(start);
}

/// Symbols are looked for in `symbols=FILE`, else in the image where it is a vmlinux, else beside
/// it.
Result<std::unique_ptr<Symbols>> find_symbols(const Target& target) {
    const auto given = target.spec().option("symbols");
    std::vector<fs::path> places;
    if (given) {
        places.emplace_back(*given);
    } else {
        const fs::path image = fact(target, "image");
        const fs::path folder = image.parent_path();
        if (is_elf(image)) {
            places.push_back(image);
        }
        for (const std::string& name : {std::string("vmlinux"), std::string("System.map"),
                                        "System.map-" + fact(target, "kernel_release")}) {
            std::error_code ignored;
            if (fs::is_regular_file(folder / name, ignored)) {
                places.push_back(folder / name);
            }
        }
    }
    const std::string build_id = fact(target, "kernel_build_id");
    for (const fs::path& place : places) {
        auto symbols = Symbols::read(place);
        if (!symbols) {
            if (given) {
                return std::unexpected(symbols.error());
            }
            continue;  // a stub, as Debian's own System.map is
        }
        if (!symbols->build_id().empty() && !build_id.empty() && symbols->build_id() != build_id) {
            if (given) {
                return fail(Fault::usage,
                            fmt::format("{} is of another kernel: its build id is {}, and the "
                                        "image's {}; give the one that was built with the image",
                                        place.string(), symbols->build_id(), build_id));
            }
            continue;
        }
        return std::make_unique<Symbols>(*std::move(symbols));
    }
    return nullptr;
}

/// Where each kind of kernel is entered by a system call, by the symbols of its trap stub; `offset`
/// is how far behind it (arm64's vectors are one symbol).
struct Entry {
    std::string_view symbol;
    std::uint64_t offset = 0;
};
constexpr std::array entries{Entry{"entry_SYSCALL_64"}, Entry{"vectors", 0x400},
                             Entry{"handle_exception"}, Entry{"system_call"}};

/// Moves the symbols to where the path runs: s390x maps its text elsewhere than it is linked for.
/// Whole pages only: what is off by less is another kernel's.
void slide_to(Symbols& symbols, std::uint64_t entered) {
    constexpr std::uint64_t page = 4096;
    for (const Entry& entry : entries) {
        if (const Function* stub = symbols.find(entry.symbol)) {
            const std::uint64_t by = entered - (stub->start + entry.offset);
            symbols.slide(by % page == 0 ? by : 0);
            return;
        }
    }
}

/// Where the path enters functions: the first instruction of the kernel, then what is called. Of
/// the calls, those that lead to a function's start where most do: calls of labels within a
/// function (x86's thunks) are no sign of another kernel.
std::vector<std::uint64_t> entered(const Trace& trace, const Path& path, Arch arch,
                                   const Symbols& symbols) {
    std::vector<std::uint64_t> first{trace.instructions[path.steps[1]].address};
    std::vector<std::uint64_t> elsewhere;
    std::size_t starts = 0;
    for (std::size_t step = 1; step + 1 < path.steps.size(); ++step) {
        if (classify(arch, trace.instructions[path.steps[step]].text).flow != Flow::call) {
            continue;
        }
        const std::uint64_t address = trace.instructions[path.steps[step + 1]].address;
        const auto place = symbols.at(address);
        if (place && place->function->start + symbols.slide() == address) {
            ++starts;
        } else {
            elsewhere.push_back(address);
        }
    }
    if (elsewhere.size() > starts) {
        first.insert(first.end(), elsewhere.begin(), elsewhere.end());
    }
    return first;
}

/// Who records; a remark says where that is not the plugin.
RecordedBy choose(const Target& target, Recorder wanted, std::vector<std::string>& remarks) {
    if (wanted == Recorder::plugin) {
        return RecordedBy::plugin;
    }
    constexpr std::string_view what =
        "Recorded by single steps, which show no accesses to memory: loads, stores, data lines and "
        "the stack's depth are not counted";
    if (wanted == Recorder::gdb) {
        remarks.push_back(fmt::format("{}.", what));
        return RecordedBy::single_steps;
    }
    const auto loads = target.check_recorder();
    if (loads) {
        return RecordedBy::plugin;
    }
    remarks.push_back(fmt::format("{}; {}.", what, loads.error().message));
    return RecordedBy::single_steps;
}

/// Functions that run another task's instructions before they come back.
constexpr std::array<std::string_view, 5> switching{
    "__switch_to", "__switch_to_asm", "cpu_switch_to", "context_switch", "__schedule"};

Result<void> check_stays(const Traced& traced) {
    for (const FunctionPart& function : traced.anatomy.functions) {
        if (std::ranges::find(switching, function.name) != switching.end()) {
            return fail(Fault::measurement,
                        fmt::format("a call of {} on {} gives the CPU to another task ({}), whose "
                                    "instructions are not the call's; it has no path of its own",
                                    traced.workload, traced.target, function.name));
        }
    }
    return {};
}

/// What a reader must know of the recording.
void add_remarks(RecordedPath& result, const Variant& chosen, std::size_t calls,
                 const Wanted& wanted, std::string_view no_symbols) {
    const Trace& trace = *result.trace;
    auto& remarks = result.traced.remarks;
    std::uint64_t rounds = 0;
    std::size_t others = 0;
    for (const Variant& variant : trace.variants) {
        if (trap_of(trace, variant) == trap_of(trace, chosen)) {
            rounds += variant.rounds;
            others += &variant == &chosen ? 0 : 1;
        }
    }
    remarks.push_back(others == 0
                          ? fmt::format("All {} round trips took this path.", rounds)
                          : fmt::format("{} of {} round trips took this path, the others {} more "
                                        "(interrupts, and what is done now and then).",
                                        chosen.rounds, rounds, others));
    if (calls > 1) {
        remarks.push_back(
            fmt::format("Call {} of the {} that an op of {} makes; trace and explain take another "
                        "with --call.",
                        wanted.call, calls, wanted.workload));
    }
    if (!result.symbols) {
        remarks.emplace_back(
            fmt::format("No symbols: functions go by their addresses. Give symbols=FILE "
                        "(System.map, vmlinux), or put it beside the image. {}.",
                        no_symbols));
    } else if (result.symbols->slide() != 0) {
        remarks.push_back(fmt::format("Symbols are moved by {:#x} to where the kernel runs.",
                                      result.symbols->slide()));
    }
}

}  // namespace

bool can_record(const Target& target) {
    return target.can_count() && target.grade() != Grade::simulated;
}

Result<RecordedPath> record_path(Target& target, const Wanted& wanted) {
    if (!can_record(target)) {
        return fail(
            Fault::usage,
            fmt::format("the path of {} cannot be recorded: only emulated targets can, such "
                        "as linux:IMAGE,accel=tcg",
                        target.spec().text));
    }
    auto symbols = find_symbols(target);
    if (!symbols) {
        return std::unexpected(symbols.error());
    }
    std::vector<std::string> remarks;
    const RecordedBy by = choose(target, wanted.recorder, remarks);
    auto recorded =
        record(target, wanted, by, *symbols ? GuestSymbols::not_needed : GuestSymbols::wanted);
    if (!recorded) {
        return std::unexpected(recorded.error());
    }
    RecordedPath result;
    result.trace = std::make_unique<Trace>(std::move(recorded->trace));
    result.symbols = *std::move(symbols);
    result.by = by;
    result.traced.remarks = std::move(remarks);
    const auto calls = calls_of(*result.trace);
    result.call = wanted.call;
    result.calls_per_op = calls.size();
    if (wanted.call == 0 || wanted.call > calls.size()) {
        return fail(Fault::usage,
                    fmt::format("--call {}: an op of {} makes {} call{}", wanted.call,
                                wanted.workload, calls.size(), calls.size() == 1 ? "" : "s"));
    }
    const std::uint64_t trap = calls[wanted.call - 1];
    const Variant* modal = nullptr;
    for (const Variant& variant : result.trace->variants) {
        if (trap_of(*result.trace, variant) == trap &&
            (modal == nullptr || variant.rounds > modal->rounds)) {
            modal = &variant;
        }
    }
    const auto arch = arch_from_name(result.trace->target);
    if (!arch) {
        return fail(Fault::measurement, fmt::format("the recorder ran in a QEMU for {}, which "
                                                    "kerntoll does not know",
                                                    result.trace->target));
    }
    if (!result.symbols && recorded->no_symbols.empty()) {
        auto asked = ask_symbols(*recorded->machine, *result.trace, modal->path);
        if (!asked) {
            return std::unexpected(asked.error());
        }
        result.symbols = std::make_unique<Symbols>(*std::move(asked));
        result.traced.remarks.emplace_back(
            "Names of functions are those of the guest's own /proc/kallsyms.");
    }
    recorded->machine.reset();
    if (result.symbols) {
        slide_to(*result.symbols, result.trace->instructions[modal->path.steps[1]].address);
        if (auto same = check_symbols(*result.symbols,
                                      entered(*result.trace, modal->path, *arch, *result.symbols));
            !same) {
            return std::unexpected(same.error());
        }
    }
    result.traced.target = target.spec().text;
    result.traced.workload = wanted.workload;
    if (result.symbols) {
        result.traced.symbols = result.symbols.get();
        result.traced.image = result.symbols->image();
    }
    result.traced.anatomy = dissect(*result.trace, modal->path, *arch, result.symbols.get());
    if (auto stays = check_stays(result.traced); !stays) {
        return std::unexpected(stays.error());
    }
    add_remarks(result, *modal, calls.size(), wanted, recorded->no_symbols);
    return result;
}

}  // namespace kerntoll::lab::path
