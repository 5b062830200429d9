// SPDX-License-Identifier: MIT
// What comes to a machine from outside and is kept out by no flag: x86_64's non-maskable interrupt
// and machine check, which have stacks of their own. QEMU is asked to send them.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "lab/target/gdb.hpp"
#include "lab/target/qmp.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

lab::Deadline soon() {
    return std::chrono::steady_clock::now() + 20s;
}

template <class T>
T value_of(lab::Result<T> result) {
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : T{};
}
void done(const lab::Result<void>& result) {
    EXPECT_TRUE(result) << result.error().message;
}

/// Where an image has a symbol.
uint64_t address_of(const std::string& image, const std::string& symbol) {
    const auto names = value_of(lab::run_captured({"llvm-nm-19", image}, 20s)).output;
    const size_t end = names.find(" " + symbol + "\n");
    EXPECT_NE(end, std::string::npos) << symbol;
    const size_t line = names.rfind('\n', end) + 1;  // 0 behind none
    return end == std::string::npos ? 0 : std::stoull(names.substr(line), nullptr, 16);
}

/// By QEMU's numbers for its gdb stub.
enum class Register : unsigned { rsp = 7, rip = 16, gs_base = 25, kernel_gs_base = 26 };

/// A machine that stands still until it is told to go on.
class Running {
public:
    Running(const Machine& machine, const std::string& image, const std::string& program)
        : output_(memfd_create("output", 0)) {
        auto [our_control, their_control] = pair();
        auto [our_gdb, their_gdb] = pair();
        nano::Parameters parameters;
        parameters.program_size = program.size();
        parameters.switches = static_cast<uint32_t>(nano::Switch::report);
        start_ = prepare(machine, image, program, parameters);
        const auto line = [](const char* name, const lab::Fd& end) {
            return std::string("socket,id=") + name + ",fd=" + std::to_string(end.get());
        };
        start_.argv.insert(start_.argv.end(), {"-S", "-chardev", line("control", their_control),
                                               "-mon", "chardev=control,mode=control", "-chardev",
                                               line("gdb", their_gdb), "-gdb", "chardev:gdb"});
        lab::SpawnPlan plan;
        plan.argv = start_.argv;
        plan.standard_output = output_.get();
        plan.standard_error = output_.get();
        plan.inherited = {their_control.get(), their_gdb.get()};
        if (auto child = lab::Subprocess::spawn(plan); child) {
            qemu_.emplace(*std::move(child));
        }
        qmp_.emplace(std::move(our_control));
        done(qmp_->negotiate(soon()));
        gdb_.emplace(std::move(our_gdb), std::endian::little);
        // The stub answers whoever has stopped a machine, and this one has not begun.
        done(gdb_->go_on());
        done(gdb_->stop(soon()));
    }
    [[nodiscard]] lab::Qmp& qmp() { return *qmp_; }
    [[nodiscard]] lab::Gdb& gdb() { return *gdb_; }
    [[nodiscard]] uint64_t read(Register number) {
        return value_of(gdb_->read_register(static_cast<unsigned>(number), soon()));
    }
    void step() { done(gdb_->step(soon())); }
    /// Goes on until the instruction at an address is the next one.
    void run_to(uint64_t address) {
        done(gdb_->set_breakpoint(address, soon()));
        done(gdb_->go_on());
        done(gdb_->await_stop(soon()));
        done(gdb_->clear_breakpoint(address, soon()));
        EXPECT_EQ(read(Register::rip), address) << output();
    }
    [[nodiscard]] std::string output() const {
        std::string bytes(65536, '\0');
        const auto size = pread(output_.get(), bytes.data(), bytes.size(), 0);
        bytes.resize(size > 0 ? static_cast<size_t>(size) : 0);
        return bytes;
    }
    /// Waits until the program has printed this, and then until it is back in user mode, where it
    /// spins: what takes it microseconds gets a fifth of a second.
    [[nodiscard]] bool wait_for(std::string_view line) {
        const auto end = soon();
        while (!output().contains(line) && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(5ms);
        }
        std::this_thread::sleep_for(200ms);
        return output().contains(line);
    }
    [[nodiscard]] Ending end() {
        const auto status = qemu_->wait(30s);
        if (!status || !*status) {
            ADD_FAILURE() << "it does not end: " << output();
            return {output(), -1, -1};
        }
        return ending_of(output(), **status);
    }

private:
    static std::pair<lab::Fd, lab::Fd> pair() {
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        return {lab::Fd(ends[0]), lab::Fd(ends[1])};
    }

    lab::Fd output_;
    Start start_;
    std::optional<lab::Subprocess> qemu_;
    std::optional<lab::Qmp> qmp_;
    std::optional<lab::Gdb> gdb_;
};

/// A fatal error in bank 1: valid, uncorrected, enabled, context corrupt; a machine check is in
/// progress, and the program could be restarted.
constexpr auto machine_check = "mce 0 1 0xb200000000000000 0x5 0 0";

class NanoEvent : public testing::Test {
protected:
    void SetUp() override {
        machine_ = find_machine("x86_64");
        if (!machine_) {
            GTEST_SKIP() << "there is no port to x86_64 in this build";
        }
    }
    /// Images of both compilers and of the hardest variant.
    [[nodiscard]] std::vector<std::string> images() const {
        auto all = images_of(*machine_);
        all.push_back(make_image(*machine_, machine_->hardest));
        return all;
    }
    [[nodiscard]] std::unique_ptr<Running> start(const std::string& image) const {
        return std::make_unique<Running>(*machine_, image, read_program(*machine_, "events"));
    }
    /// Sends a machine check to the program, which stands or runs somewhere, and has it come to its
    /// end.
    static void expect_good_end(Running& running, int interrupts) {
        done(running.gdb().go_on());
        ASSERT_TRUE(running.wait_for("ready for a machine check")) << running.output();
        const auto sent = running.qmp().monitor(machine_check, soon());
        EXPECT_TRUE(sent) << sent.error().message;
        const Ending ending = running.end();
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "nano: interrupts"),
                    ElementsAre("nano: interrupts uninvited=" + std::to_string(interrupts)));
        EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(5)) << ending.output;
        EXPECT_EQ(ending.status, 0);
    }
    std::optional<Machine> machine_;
};

/// What a walk through the kernel needs to know of an image.
struct Places {
    uint64_t vectors;
    uint64_t handler;  ///< what the NMI's stub calls
    uint64_t path;     ///< the entry path, up to its slow part
    uint64_t slow;
};

/// An NMI before the next instruction. It finds the Thread, and comes back to where it came from.
void interrupt(Running& running, const Places& places, uint64_t thread) {
    constexpr uint64_t way_in = 2 * 16;  // VECTOR_NMI, VECTOR_SIZE
    constexpr Register kept[] = {Register::rip, Register::rsp, Register::gs_base,
                                 Register::kernel_gs_base};
    std::array<uint64_t, std::size(kept)> before{};
    std::ranges::transform(kept, before.begin(), [&](Register one) { return running.read(one); });
    done(running.qmp().execute("inject-nmi", soon()));
    running.run_to(places.vectors + way_in);
    running.step();  // from where the breakpoint was
    running.run_to(places.handler);
    EXPECT_EQ(running.read(Register::gs_base), thread);
    running.step();
    running.run_to(before[0]);
    for (size_t i = 0; i < std::size(kept); ++i) {
        EXPECT_EQ(running.read(kept[i]), before[i]) << i << " at " << std::hex << before[0];
    }
}

TEST_F(NanoEvent, AnNmiBeforeAnyInstructionGoesBack) {
    for (const std::string& image : images()) {
        SCOPED_TRACE(image);
        const auto running = start(image);
        const Places places{.vectors = address_of(image, "kerntoll_entry_vectors"),
                            .handler = address_of(image, "kerntoll_entry_from_kernel"),
                            .path = address_of(image, "__kerntoll_entry_text_start"),
                            .slow = address_of(image, "__kerntoll_entry_slow_start")};
        constexpr uint64_t user_limit = 0x4000'0000;
        int interrupts = 0;
        uint64_t thread = 0;
        // The whole of a call; then of a fault what the entry path has of it, since the rest
        // is thousands of instructions that know nothing of stacks and gs. Each time some of the
        // user's follow.
        for (const auto& [way_in, from, to] :
             {std::tuple{address_of(image, "kerntoll_entry_syscall"), user_limit, UINT64_MAX},
              std::tuple{places.vectors + 13 * 16, places.path, places.slow}}) {
            running->run_to(way_in);
            thread = thread != 0 ? thread : running->read(Register::kernel_gs_base);
            int of_the_user = 40;
            for (uint64_t rip = way_in; of_the_user > 0 && !HasFailure();
                 rip = running->read(Register::rip)) {
                if (rip < user_limit || (rip >= from && rip < to)) {
                    interrupt(*running, places, thread);
                    ++interrupts;
                }
                of_the_user -= rip < user_limit ? 1 : 0;
                running->step();
            }
        }
        EXPECT_GT(interrupts, 200);
        expect_good_end(*running, interrupts);
    }
}

/// The frame's instruction pointer is not valid then (MCG_STATUS.RIPV), so no handler is asked.
TEST_F(NanoEvent, AMachineCheckThatCannotBeReturnedFromKillsTheTask) {
    const auto running = start(images().front());
    done(running->gdb().go_on());
    ASSERT_TRUE(running->wait_for("ready for a machine check")) << running->output();
    const auto sent = running->qmp().monitor("mce 0 1 0xb200000000000000 0x4 0 0", soon());
    EXPECT_TRUE(sent) << sent.error().message;
    const Ending ending = running->end();
    EXPECT_EQ(ending.status, 128 + 9) << ending.output;
}

TEST_F(NanoEvent, AMachineCheckInTheKernelIsOneLineAndTheEnd) {
    std::vector<std::string> all = images();
    all.push_back(make_image(*machine_, {"branch_protection=on"}));  // begins with a landing pad
    for (const std::string& image : all) {
        SCOPED_TRACE(image);
        const uint64_t way_in = address_of(image, "kerntoll_entry_syscall");
        const uint64_t call = address_of(image, "_ZN8kerntoll4nano5calls6getpidERNS_5entry5FrameE");
        // Before SWAPGS, behind it, and in the call.
        for (const auto& [place, is_behind] :
             {std::pair{way_in, false}, std::pair{way_in, true}, std::pair{call, false}}) {
            const auto running = start(image);
            running->run_to(place);
            const uint64_t other_gs = running->read(Register::kernel_gs_base);
            while (is_behind && running->read(Register::kernel_gs_base) == other_gs &&
                   !HasFailure()) {
                running->step();
            }
            const auto sent = running->qmp().monitor(machine_check, soon());
            EXPECT_TRUE(sent) << sent.error().message;
            done(running->gdb().go_on());
            const Ending ending = running->end();
            EXPECT_EQ(ending.status, panicked) << ending.output;
            EXPECT_THAT(lines_with(ending.output, "nano: "),
                        ElementsAre(AllOf(HasSubstr("panic: an exception in the kernel at "),
                                          HasSubstr(" vector=18 "))));
            EXPECT_THAT(lines_with(ending.output, "ok "), IsEmpty()) << "the program went on";
        }
    }
}

}  // namespace

}  // namespace kerntoll::nano_test
