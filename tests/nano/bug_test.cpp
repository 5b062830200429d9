// SPDX-License-Identifier: MIT
// Kernels with a bug: what the hardware is told to forbid the kernel is forbidden, and a bug ends
// with one line and a failure, never with a hang or a shrug. Each image is made from nano's own
// sources with one file in another's place.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/target/target.hpp"
#include "machine.hpp"
#include "sources.hpp"

namespace kerntoll::nano_test {

namespace {

namespace files = std::filesystem;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;

class NanoBug : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const auto found = find_machine(GetParam());
        if (!found) {
            GTEST_SKIP() << "there is no port to " << GetParam() << " in this build";
        }
        machine_ = *found;
        program_ = read_program(machine_, "bugs");
        sources_.emplace(machine_);
    }

    /// Makes this bug one of the kernel's.
    void plant(const std::string& bug) const {
        sources_->put("nano/calls/umask.cpp", "bug_in_umask.cpp");
        sources_->replace("nano/calls/umask.cpp", "constexpr Bug bug = none;",
                          "constexpr Bug bug = " + bug + ";");
    }
    /// How a kernel with this bug ends.
    [[nodiscard]] Ending run(const std::string& bug) const {
        plant(bug);
        return run_nano(machine_, sources_->make_image({}), program_);
    }

    void expect_panic(const std::string& bug, const std::string& where) const {
        SCOPED_TRACE(bug);
        const Ending ending = run(bug);
        EXPECT_EQ(ending.status, panicked) << ending.output;
        EXPECT_NE(ending.qemu_status, -1) << "it did not power off";
        const auto lines = lines_with(ending.output, "nano: panic: ");
        ASSERT_THAT(lines, SizeIs(1)) << ending.output;
        EXPECT_THAT(lines.front(), HasSubstr(where));
        EXPECT_THAT(lines_with(ending.output, "end"), IsEmpty()) << "the program went on";
    }

    Machine machine_;
    std::optional<Sources> sources_;

private:
    std::string program_;
};

TEST_P(NanoBug, IsNotThereWithoutOne) {
    EXPECT_EQ(run("none").status, 0);
}

TEST_P(NanoBug, EndsWithALineAndAFailure) {
    expect_panic("illegal_instruction", "umask");
}

/// Where the kernel's own memory is paged, it has rights too, and the user's memory is out of
/// reach.
class NanoPagedKernel : public NanoBug {};

TEST_P(NanoPagedKernel, HasNothingWhereNothingIs) {
    expect_panic("read_nowhere", "umask");
}

TEST_P(NanoPagedKernel, DoesNotTouchUserMemory) {
    expect_panic("read_user_data", "umask");
    expect_panic("write_user_data", "umask");
}

TEST_P(NanoPagedKernel, DoesNotRunUserCode) {
    expect_panic("execute_user_code", "umask");
}

TEST_P(NanoPagedKernel, DoesNotWriteItsTextAndConstants) {
    expect_panic("write_kernel_text", "umask");
    expect_panic("write_constant", "umask");
}

TEST_P(NanoPagedKernel, DoesNotRunItsData) {
    expect_panic("execute_kernel_data", "umask");
}

TEST_P(NanoBug, TellsThatItsStackOverflows) {
    expect_panic("overflow_stack", "stack overflow in the kernel");
}

TEST_P(NanoBug, OfAStackThatIsNowhereIsTold) {
    expect_panic("lost_stack", "umask");
}

TEST_P(NanoBug, InAPanicEndsToo) {
    sources_->replace("nano/panic.cpp", "print(\"\\nnano: panic: \", what);",
                      "print(\"\\nnano: panic: \", what);\n    __builtin_trap();");
    expect_panic("illegal_instruction", "an exception in the kernel");
}

/// Where the boot code runs no user's frame lies between the stack and its end.
TEST_P(NanoBug, AtTheTopOfTheStackIsNoOverflow) {
    sources_->replace("nano/main.cpp", "arch::start_machine();",
                      "arch::start_machine();\n    __builtin_trap();");
    expect_panic("none", "an exception in the kernel at ");
}

/// Where the stub leaves the stack pointer when it goes to user mode, and a return that the machine
/// refuses finds it.
TEST_P(NanoBug, AtTheThreadItselfIsNoOverflow) {
    if (machine_.arch != "arm64") {
        GTEST_SKIP() << "its return is tried with an empty stack; others keep the frame";
    }
    sources_->replace("nano/main.cpp", "arch::start_machine();",
                      "arch::start_machine();\n"
                      "    asm volatile(\"mrs x0, tpidr_el1\\n\\tmov sp, x0\\n\\tbrk #0\");");
    expect_panic("none", "an exception in the kernel at ");
}

/// What the lab says of a kernel with a bug.
class NanoBugInTheLab : public NanoBug {
protected:
    void SetUp() override {
        NanoBug::SetUp();
        if (IsSkipped()) {
            return;
        }
        // Images of its own, since others trust those that are named alike; objects are no one's.
        const files::path cache = sources_->root() / "cache";
        files::create_directories(cache / "kerntoll");
        files::create_directory_symlink(std::string(KERNTOLL_TEST_IMAGES) + "/cache",
                                        cache / "kerntoll/objects");
        ASSERT_EQ(setenv("XDG_CACHE_HOME", cache.c_str(), 1), 0);
        ASSERT_EQ(setenv("KERNTOLL_SOURCE_DIR", sources_->root().c_str(), 1), 0);
    }
    [[nodiscard]] std::string complaint(const std::string& bug, const std::string& options) const {
        plant(bug);
        const auto target = lab::open_target(std::string("nano:") + GetParam() + options);
        if (!target) {
            return target.error().message;
        }
        const auto machine = (*target)->launch({});
        if (!machine) {
            return machine.error().message;
        }
        if (const auto ready = (*machine)->wait_ready(); !ready) {
            return ready.error().message;
        }
        const auto proven = (*machine)->prove({.workload = "mix"});  // it calls umask
        return proven ? "no complaint" : proven.error().message;
    }
};

TEST_P(NanoBugInTheLab, IsToldInASentence) {
    EXPECT_THAT(complaint("illegal_instruction", ""),
                MatchesRegex("nano:[a-z0-9_]+: the kernel panicked: an exception in the kernel at "
                             "nano::calls::umask\\+0x[0-9a-f]+ while proving mix"));
}

/// Nothing in the machine would notice it.
TEST_P(NanoBugInTheLab, ThatNeverEndsIsEnded) {
    if (machine_.arch != "riscv64") {
        GTEST_SKIP() << "the lab's clock is the same for all; it takes its time";
    }
    EXPECT_THAT(complaint("endless_loop", ",timeout=3s"),
                HasSubstr("no answer from the agent within 3 s while "));
}

/// No bug of nano's: a machine on which an SError comes, or the timer as a FIQ.
class NanoAsynchronous : public NanoBug {
protected:
    /// The panic of a kernel that has an SError made pending, and lets it in or not.
    [[nodiscard]] std::string panic_by_serror(const std::string& lets_it_in) {
        std::ranges::replace(machine_.qemu, std::string("virt"),
                             std::string("virt,virtualization=on"));
        sources_->put("nano/arch/arm64/hypervisor.S", "serror_hypervisor.S");
        sources_->replace("nano/arch/arm64/boot.S", "kerntoll_nano_start:\n",
                          "kerntoll_nano_start:\n#include \"hypervisor.S\"\n");
        sources_->put("nano/calls/umask.cpp", "serror_in_umask.cpp");
        sources_->replace("nano/calls/umask.cpp", "lets_it_in = false",
                          "lets_it_in = " + lets_it_in);
        const Ending ending =
            run_nano(machine_, sources_->make_image({}), read_program(machine_, "bugs"));
        EXPECT_EQ(ending.status, panicked) << ending.output;
        EXPECT_THAT(lines_with(ending.output, "ok"), IsEmpty()) << "the program went on";
        const auto lines = lines_with(ending.output, "nano: ");
        EXPECT_THAT(lines, SizeIs(1)) << ending.output;
        return lines.empty() ? "" : lines.front();
    }
};

TEST_P(NanoAsynchronous, AnSErrorInTheKernelIsSaidToBeThere) {
    EXPECT_THAT(panic_by_serror("true"),
                AllOf(HasSubstr("panic: an exception in the kernel at "), HasSubstr("umask")));
}

/// It is the kernel's all the same: one that it caused waits until user mode lets it in.
TEST_P(NanoAsynchronous, AnSErrorInUserModeIsNotSaidToBeInTheKernel) {
    EXPECT_THAT(panic_by_serror("false"),
                HasSubstr("panic: an exception in user mode that is not the user's at "));
}

/// The controller sends what is of group 0 as FIQs when told so (Arm IHI 0048, FIQEn).
TEST_P(NanoAsynchronous, ATimerThatComesAsAFiqServesAsWell) {
    const std::string machine = "nano/arch/arm64/machine.cpp";
    sources_->replace(machine, "interrupt_interface + interface_control) = 1;",
                      "interrupt_interface + interface_control) = 1U << 3U | 1U;");
    sources_->replace(machine, "(cause & entry::cause::irq) == 0",
                      "(cause & entry::cause::fiq) == 0");
    for (const auto& choices : {std::vector<std::string>{}, machine_.hardest}) {
        const std::string image = sources_->make_image(choices);
        for (const char* program : {"tasks", "canary", "signals"}) {
            SCOPED_TRACE(program);
            const Ending ending = run_nano(machine_, image, read_program(machine_, program));
            EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
            EXPECT_EQ(ending.status, 0) << ending.output;
        }
    }
}

TEST_P(NanoAsynchronous, AFiqThatNobodyAskedForIsTheEnd) {
    sources_->replace("nano/arch/arm64/machine.cpp",
                      "interrupt_interface + interface_control) = 1;",
                      "interrupt_interface + interface_control) = 1U << 3U | 1U;");
    const Ending ending =
        run_nano(machine_, sources_->make_image({}), read_program(machine_, "tasks"));
    EXPECT_EQ(ending.status, panicked) << ending.output;
    EXPECT_THAT(lines_with(ending.output, "nano: "),
                ElementsAre(HasSubstr("panic: an interrupt that nobody asked for at ")));
}

INSTANTIATE_TEST_SUITE_P(All, NanoAsynchronous, testing::Values("arm64"),
                         [](const auto& info) { return std::string(info.param); });

/// No bug: a machine whose tracing events come in the middle of the way into the kernel.
class NanoStepped : public NanoBug {};

TEST_P(NanoStepped, ACallInASingleStepIsMadeOnce) {
    sources_->put("nano/calls/umask.cpp", "step_in_umask.cpp");
    sources_->replace("nano/hooks.cpp", "    const arch::Fault fault",
                      "    extern long steps_taken;\n"
                      "    if ((cause & 0xffff) == 0x80) {\n"
                      "        ++steps_taken;\n"
                      "        return;\n"
                      "    }\n"
                      "    const arch::Fault fault");
    for (const char* frame : {"frame=full", "frame=lazy"}) {
        SCOPED_TRACE(frame);
        const Ending ending = run_nano(machine_, sources_->make_image({frame, "debug=on"}),
                                       read_program(machine_, "step"));
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(9)) << ending.output;
        EXPECT_EQ(ending.status, 0);
    }
}

/// No bug either: a kernel that tells where its calls run.
class NanoStack : public NanoBug {};

TEST_P(NanoStack, IsDisplacedForEachCallWhereTheVariantSaysSo) {
    sources_->put("nano/calls/umask.cpp", "stack_in_umask.cpp");
    const auto places = [this](std::vector<std::string> choices) {
        if (machine_.arch == "arm64" || machine_.arch == "riscv64") {
            choices.emplace_back("vector=likely");
        }
        const Ending ending =
            run_nano(machine_, sources_->make_image(choices), read_program(machine_, "stack"));
        const auto lines = lines_with(ending.output, "places ");
        EXPECT_THAT(lines, SizeIs(1)) << ending.output;
        return lines.empty() ? 0 : std::stoi(lines.front().substr(std::size("places ") - 1));
    };
    for (const char* frame : {"frame=full", "frame=lazy"}) {
        SCOPED_TRACE(frame);
        EXPECT_EQ(places({frame}), 1);
        EXPECT_GE(places({frame, "stack_offset=on"}), 8);
    }
}

/// No bug: a kernel that tells which of the user's flags it runs with.
class NanoFlags : public NanoBug {};

TEST_P(NanoFlags, OfTheUserAreNotTheKernels) {
    sources_->put("nano/calls/umask.cpp", "flags_in_umask.cpp");
    sources_->replace("nano/hooks.cpp", "    const arch::Fault fault",
                      "    extern void note_flags();\n    note_flags();\n"
                      "    const arch::Fault fault");
    for (const char* frame : {"frame=full", "frame=lazy"}) {
        SCOPED_TRACE(frame);
        const Ending ending =
            run_nano(machine_, sources_->make_image({frame}), read_program(machine_, "flags"));
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(8)) << ending.output;
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoFlags, testing::Values("x86_64"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoStack, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
/// No bug: what stands for zeros in the machine's lowcore is zero.
class NanoLowcore : public NanoBug {};

TEST_P(NanoLowcore, ClearsRegistersByZeros) {
    sources_->put("nano/calls/umask.cpp", "lowcore_in_umask.cpp");
    const Ending ending =
        run_nano(machine_, sources_->make_image({}), read_program(machine_, "bugs"));
    EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
    EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(2)) << ending.output;
}

INSTANTIATE_TEST_SUITE_P(All, NanoLowcore, testing::Values("s390x"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoStepped, testing::Values("s390x"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoBugInTheLab, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoBug, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoPagedKernel, testing::Values("x86_64", "arm64", "riscv64"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
