// SPDX-License-Identifier: MIT
// What comes to a machine from outside and is kept out by no flag: x86_64's non-maskable interrupt
// and machine check, which have stacks of their own. QEMU is asked to send them.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "entry/include/kerntoll/entry/stack.h"
#include "machine.hpp"
#include "running.hpp"
#include "sources.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A fatal error in bank 1: valid, uncorrected, enabled, context corrupt; a machine check is in
/// progress, and the program could be restarted.
constexpr auto machine_check = "mce 0 1 0xb200000000000000 0x5 0 0";

/// A way through the kernel, from the last of `stops`, which the machine comes by one after the
/// other, to user mode.
struct Way {
    const char* what;
    std::vector<uint64_t> stops;
    /// What of the kernel gets an NMI: all, or what the entry path has of it, since the rest is
    /// thousands of instructions that know nothing of stacks and gs.
    uint64_t from, to;
    uint64_t through;  ///< an instruction that is on it, or this is another way
};

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
        EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(8)) << ending.output;
        EXPECT_EQ(ending.status, 0);
    }
    /// Runs the program, with NMIs on these ways through the kernel, to its good end.
    void expect_all_to_go_back(const std::string& image, const std::vector<Way>& ways) const;
    std::optional<Machine> machine_;
};

/// What a walk through the kernel needs to know of an image.
struct Places {
    uint64_t vectors;
    uint64_t handler;  ///< what the NMI's stub calls
    uint64_t path;     ///< the entry path, up to its slow part
    uint64_t slow;

    /// Where the gate of a vector leads.
    [[nodiscard]] uint64_t gate(uint64_t vector) const {
        constexpr uint64_t size = 16;  // VECTOR_SIZE
        return vectors + vector * size;
    }
};
Places places_of(const std::string& image) {
    return {.vectors = address_of(image, "kerntoll_entry_vectors"),
            .handler = address_of(image, "kerntoll_entry_from_kernel"),
            .path = address_of(image, "__kerntoll_entry_text_start"),
            .slow = address_of(image, "__kerntoll_entry_slow_start")};
}

/// An NMI before the next instruction. It finds the Thread, and comes back to where it came from.
void interrupt(Running& running, const Places& places, uint64_t thread) {
    constexpr Register kept[] = {Register::rip, Register::rsp, Register::gs_base,
                                 Register::kernel_gs_base};
    std::array<uint64_t, std::size(kept)> before{};
    std::ranges::transform(kept, before.begin(), [&](Register one) { return running.read(one); });
    done(running.qmp().execute("inject-nmi", soon()));
    running.run_to(places.gate(2));
    running.step();  // from where the breakpoint was
    running.run_to(places.handler);
    EXPECT_EQ(running.read(Register::gs_base), thread);
    running.step();
    running.run_to(before[0]);
    for (size_t i = 0; i < std::size(kept); ++i) {
        EXPECT_EQ(running.read(kept[i]), before[i]) << i << " at " << std::hex << before[0];
    }
}

/// In user mode gs is the user's, which is 0 here.
uint64_t thread_of(Running& running) {
    const uint64_t gs = running.read(Register::gs_base);
    return gs != 0 ? gs : running.read(Register::kernel_gs_base);
}

/// NMIs before each instruction of a way and before some of the user's behind it. How many.
int interrupt_all(Running& running, const Places& places, const Way& way) {
    constexpr uint64_t user_limit = 0x4000'0000;
    for (const uint64_t stop : way.stops) {
        if (stop == running.read(Register::rip)) {
            running.step();  // or it would be the next one, too
        }
        running.run_to(stop);
    }
    const uint64_t thread = thread_of(running);
    int interrupts = 0;
    bool was_there = false;
    int of_the_user = 40;
    for (uint64_t rip = way.stops.back(); of_the_user > 0 && !testing::Test::HasFailure();
         rip = running.read(Register::rip)) {
        if (rip < user_limit || (rip >= way.from && rip < way.to)) {
            interrupt(running, places, thread);
            ++interrupts;
        }
        was_there = was_there || rip == way.through;
        of_the_user -= rip < user_limit ? 1 : 0;
        running.step();
    }
    EXPECT_TRUE(was_there) << way.what;
    return interrupts;
}

void NanoEvent::expect_all_to_go_back(const std::string& image,
                                      const std::vector<Way>& ways) const {
    const auto running = start(image);
    int interrupts = 0;
    for (const Way& way : ways) {
        SCOPED_TRACE(way.what);
        const int before = interrupts;
        interrupts += interrupt_all(*running, places_of(image), way);
        EXPECT_GT(interrupts, before + 60);
    }
    expect_good_end(*running, interrupts);
}

TEST_F(NanoEvent, AnNmiBeforeAnyInstructionGoesBack) {
    for (const std::string& image : images()) {
        SCOPED_TRACE(image);
        const Places places = places_of(image);
        const uint64_t call = address_of(image, "kerntoll_entry_syscall");
        // As the program goes.
        expect_all_to_go_back(image, {{"the first way to user mode",
                                       {address_of(image, "kerntoll_entry_begin_user")},
                                       places.path,
                                       places.slow,
                                       address_of(image, "return_by_iret")},
                                      {"a call", {call}, 0, UINT64_MAX, call},
                                      {"a fault",
                                       {places.gate(13)},
                                       places.path,
                                       places.slow,
                                       address_of(image, "trap_from_user")},
                                      {"a single step",
                                       {places.gate(1)},
                                       places.path,
                                       places.slow,
                                       address_of(image, "trap_on_own_stack")}});
    }
}

/// A kernel that believes what a signal's context has in ss, as one with a debugger may, so that
/// IRET faults.
TEST_F(NanoEvent, AnNmiBeforeAnyInstructionOfAReturnThatFailsGoesBack) {
    const Sources sources(*machine_);
    const std::string context = "nano/arch/x86_64/context.cpp";
    sources.replace(context, "frame.ss = USER_SS;\n    frame.rflags = (",
                    "frame.ss = context.ss;\n    frame.rflags = (");
    sources.replace(context, "frame.rip = entry.handler;",
                    "frame.rip = entry.handler;\n    frame.ss = USER_SS;");
    for (const auto& choices : {std::vector<std::string>{}, machine_->hardest}) {
        const std::string image = sources.make_image(choices);
        const Places places = places_of(image);
        const uint64_t iret = address_of(image, "return_by_iret");
        // Of the first fault to its handler and back; then those of the second.
        expect_all_to_go_back(image, {{"a return that fails",
                                       {places.gate(13), places.gate(13), iret, iret},
                                       places.path,
                                       places.slow,
                                       address_of(image, "return_failed")}});
    }
}

/// The machine lets NMIs in before the kernel has a Thread in its tables: as soon as there are
/// gates, everything that these lead to is there.
TEST_F(NanoEvent, AnNmiThatComesAsTheGatesAreLoadedGoesBack) {
    const Sources sources(*machine_);
    sources.replace("nano/main.cpp", "    arch::start_traps();\n    arch::start_machine();\n",
                    "    arch::start_machine();\n    arch::start_traps();\n");
    const std::string image = sources.make_image({});
    const auto running = start(image);
    const Places places = places_of(image);
    running->run_to(address_of(image, "_ZN8kerntoll4nano4arch11start_trapsEv"));
    uint64_t back = 0;
    const auto top =
        value_of(running->gdb().read_memory(running->read(Register::rsp), sizeof back, soon()));
    ASSERT_EQ(top.size(), sizeof back);
    std::memcpy(&back, top.data(), sizeof back);
    const uint64_t thread =
        address_of(image, "kerntoll_nano_boot_stack") + KERNTOLL_ENTRY_STACK_SIZE;
    const auto loads_gates = [&] {
        const auto bytes =
            value_of(running->gdb().read_memory(running->read(Register::rip), 3, soon()));
        return bytes.starts_with("\x0f\x01") && (bytes.back() >> 3 & 7) == 3;
    };
    while (!loads_gates() && !HasFailure()) {
        running->step();
    }
    int interrupts = 0;
    do {
        running->step();
        interrupt(*running, places, thread);
        ++interrupts;
    } while (running->read(Register::rip) != back && !HasFailure());
    expect_good_end(*running, interrupts);
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
