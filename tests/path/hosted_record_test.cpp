// SPDX-License-Identifier: MIT
// `hosted:` counted and recorded by single steps of a process of this machine: both are exact, and
// say the same.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "lab/experiment/count.hpp"
#include "lab/path/record.hpp"
#include "lab/target/disassembler.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// Its programs are kept in the build tree.
class HostedRecord : public LeavesNothing {
protected:
    static void SetUpTestSuite() { setenv("XDG_CACHE_HOME", KERNTOLL_TEST_CACHE, 1); }

    static std::unique_ptr<Target> target(std::string_view text) {
        auto opened = open_target(text);
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? *std::move(opened) : nullptr;
    }
    static experiment::Count counted(std::string_view text, const std::string& workload) {
        const auto counts = experiment::count_instructions(*target(text), {workload});
        EXPECT_TRUE(counts) << text << ": " << counts.error().message;
        return counts ? counts->front() : experiment::Count{};
    }
    static RecordedPath recorded(std::string_view text, const Wanted& wanted = {}) {
        auto path = record_path(*target(text), wanted);
        EXPECT_TRUE(path) << text << ": " << path.error().message;
        return path ? *std::move(path) : RecordedPath{};
    }
    static Error refused(std::string_view text, const Wanted& wanted) {
        const auto path = record_path(*target(text), wanted);
        EXPECT_FALSE(path) << text;
        return path ? Error{} : path.error();
    }
    /// Instructions of all calls of an op, recorded once.
    static double of_all_calls(std::string_view text, const std::string& workload) {
        const auto opened = target(text);
        const auto bytes = record_trace(*opened, {.workload = workload});
        EXPECT_TRUE(bytes) << text << ": " << bytes.error().message;
        double sum = 0;
        for (std::size_t call = 1, calls = 1; bytes && call <= calls; ++call) {
            const auto path = path_of_trace(*opened, *bytes, {.workload = workload, .call = call});
            EXPECT_TRUE(path) << text << ": " << path.error().message;
            calls = path ? path->calls_per_op : 0;
            sum += path ? static_cast<double>(path->traced.anatomy.total.instructions) : 0;
        }
        return sum;
    }
    static std::vector<std::string> functions(const RecordedPath& path) {
        std::vector<std::string> names;
        for (const FunctionPart& function : path.traced.anatomy.functions) {
            names.push_back(function.name);
        }
        return names;
    }
};

constexpr auto first = "kerntoll_entry_from_user";
constexpr auto exit_step = "kerntoll::entry::SyscallPath::exit_outlined";

TEST_F(HostedRecord, CountIsLoopAndPathsOfEveryWorkload) {
    for (const char* workload : {"getpid", "getppid", "getpgid", "mix", "close", "read", "write",
                                 "stat", "fstat", "open", "seek", "invalid", "clock"}) {
        const auto count = counted("hosted:", workload);
        EXPECT_TRUE(count.exact) << workload;
        EXPECT_EQ(count.instructions_per_op,
                  count.loop_instructions + of_all_calls("hosted:", workload))
            << workload;
    }
}

/// Every kind of variant whose way differs, by both compilers.
class HostedVariants : public HostedRecord, public testing::WithParamInterface<const char*> {};

TEST_P(HostedVariants, CountIsLoopAndPaths) {
    for (const char* workload : {"getpid", "mix"}) {
        const auto count = counted(GetParam(), workload);
        EXPECT_TRUE(count.exact) << workload;
        EXPECT_GT(count.loop_instructions, 1) << workload;
        EXPECT_EQ(count.instructions_per_op,
                  count.loop_instructions + of_all_calls(GetParam(), workload))
            << workload;
    }
}

INSTANTIATE_TEST_SUITE_P(Hosted, HostedVariants,
                         testing::Values("hosted:cc=gcc", "hosted:exit=outlined",
                                         "hosted:dispatch=switch", "hosted:work=none",
                                         "hosted:debug=on,stack_offset=on", "hosted:pad=10",
                                         "hosted:enter=outlined,cc=gcc"));

TEST_F(HostedRecord, AnOpWithoutACallIsCountedAndHasNoPath) {
    const auto count = counted("hosted:", "empty");
    EXPECT_TRUE(count.exact);
    EXPECT_EQ(count.instructions_per_op, count.loop_instructions);
    EXPECT_THAT(refused("hosted:", {.workload = "empty"}).message,
                HasSubstr("no system call was seen"));
}

TEST_F(HostedRecord, WhereTheCodeLiesChangesNeitherCountNorPath) {
    const double instructions = counted("hosted:", "mix").instructions_per_op;
    const auto path = functions(recorded("hosted:"));
    for (const char* layout : {"hosted:layout=1", "hosted:layout=2", "hosted:layout=random"}) {
        EXPECT_EQ(counted(layout, "mix").instructions_per_op, instructions) << layout;
        EXPECT_EQ(functions(recorded(layout)), path) << layout;
    }
}

TEST_F(HostedRecord, ThePathBeginsWhereTheUserCallsAndEndsWithTheReturnThere) {
    const auto path = recorded("hosted:");
    const Anatomy& anatomy = path.traced.anatomy;
    EXPECT_EQ(functions(path),
              (std::vector<std::string>{first, "kerntoll::hosted::calls::getpid"}));
    EXPECT_EQ(anatomy.functions.front().start, anatomy.steps.front().instruction->address);
    EXPECT_EQ(anatomy.steps.back().kind.flow, Flow::ret);
    EXPECT_EQ(anatomy.steps.back().depth, 0U);
    EXPECT_EQ(anatomy.total.returns, anatomy.total.calls + 1);
    // No stub around it.
    for (const Phase phase : {Phase::stub, Phase::ret, Phase::inside}) {
        EXPECT_EQ(counts_of(anatomy, phase).instructions, 0U);
    }
    for (const Phase phase : {Phase::enter, Phase::call, Phase::exit}) {
        EXPECT_GT(counts_of(anatomy, phase).instructions, 0U);
    }
    EXPECT_THAT(path.traced.remarks,
                AllOf(Contains("All 20 round trips took this path."),
                      Contains(AllOf(HasSubstr("no accesses to memory"),
                                     HasSubstr("called as a function on this CPU")))));
    EXPECT_EQ(path.by, RecordedBy::single_steps);
}

TEST_F(HostedRecord, ACallThatTheHostAnswersIsOneInstructionThere) {
    const auto path = recorded("hosted:", {.workload = "stat"});
    const auto& steps = path.traced.anatomy.steps;
    EXPECT_EQ(
        std::ranges::count_if(steps, [](const Step& step) { return step.kind.flow == Flow::trap; }),
        1);
    EXPECT_EQ(path.calls_per_op, 1U);
}

TEST_F(HostedRecord, OutlinedIsSeenAndInlinedExplainsIt) {
    auto outlined = recorded("hosted:exit=outlined");
    auto inlined = recorded("hosted:");
    EXPECT_THAT(functions(outlined), Contains(exit_step));
    EXPECT_THAT(functions(inlined), Not(Contains(exit_step)));
    EXPECT_GT(outlined.traced.anatomy.total.instructions,
              inlined.traced.anatomy.total.instructions);
    const auto explanation = explain(std::move(outlined.traced), std::move(inlined.traced));
    const auto& all = explanation.difference.functions;
    const auto step = std::ranges::find(all, exit_step, &FunctionDifference::name);
    ASSERT_NE(step, all.end());
    EXPECT_EQ(step->change.instructions, 0U);
    EXPECT_GT(step->base.instructions, 0U);
}

TEST_F(HostedRecord, EachCallOfAnOpHasAsManyRoundsAsAreAskedFor) {
    for (const std::size_t call : {1U, 2U, 5U}) {
        const auto path = recorded("hosted:", {.workload = "mix", .call = call, .rounds = 7});
        EXPECT_EQ(path.calls_per_op, 5U);
        EXPECT_THAT(path.traced.remarks, Contains("All 7 round trips took this path."));
    }
    EXPECT_EQ(refused("hosted:", {.workload = "mix", .call = 6}).fault, Fault::usage);
}

TEST_F(HostedRecord, IsTheSameFileEveryTime) {
    const auto once = record_trace(*target("hosted:"), {});
    const auto again = record_trace(*target("hosted:"), {});
    ASSERT_TRUE(once && again);
    EXPECT_EQ(*once, *again);
}

TEST_F(HostedRecord, RefusesThePluginInOneSentence) {
    const Error error = refused("hosted:", {.recorder = Recorder::plugin});
    EXPECT_EQ(error.fault, Fault::usage);
    EXPECT_THAT(error.message, AllOf(HasSubstr("'hosted:' cannot be recorded by a plugin of QEMU"),
                                     HasSubstr("leave --recorder out")));
    EXPECT_EQ(recorded("hosted:", {.recorder = Recorder::gdb}).by, RecordedBy::single_steps);
}

TEST_F(HostedRecord, WhatTheAgentRefusesIsSaidInItsWords) {
    const Error error = refused("hosted:file=/nonexistent", {.workload = "stat"});
    EXPECT_THAT(error.message, HasSubstr("cannot open /nonexistent"));
    EXPECT_THAT(experiment::count_instructions(*target("hosted:file=/nonexistent"), {"stat"})
                    .error()
                    .message,
                HasSubstr("cannot open /nonexistent"));
}

/// The class tables read what QEMU's disassembler prints.
class DisassemblerTest : public HostedRecord, public testing::WithParamInterface<const char*> {};

TEST_P(DisassemblerTest, PrintsWhatQemuPrints) {
    const auto nano = target(GetParam());
    const auto arch = arch_from_name(nano->spec().subject).value();
    const auto disassembler = Disassembler::open(arch);
    ASSERT_TRUE(disassembler);
    const auto bytes = record_trace(*nano, {.workload = "mix"});
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto trace = read_trace(*bytes);
    ASSERT_TRUE(trace);
    ASSERT_GT(trace->instructions.size(), 100U);
    for (const Instruction& instruction : trace->instructions) {
        const auto found = disassembler->disassemble(instruction.address, instruction.bytes);
        ASSERT_TRUE(found) << instruction.text;
        EXPECT_EQ(found->text, instruction.text);
        EXPECT_EQ(found->size, instruction.bytes.size()) << instruction.text;
    }
}

INSTANTIATE_TEST_SUITE_P(Nano, DisassemblerTest, testing::Values("nano:x86_64", "nano:arm64"));

TEST(Disassembler, GivesBytesForWhatItDoesNotKnowAndNothingForAPart) {
    const auto disassembler = Disassembler::open(Arch::x86_64);
    ASSERT_TRUE(disassembler);
    EXPECT_EQ(disassembler->disassemble(0x1000, std::string("\xc3\x90")).value().text, "retq ");
    const auto unknown = disassembler->disassemble(0x1000, std::string("\x06\x90"));
    EXPECT_TRUE(unknown && !is_known(*unknown));
    EXPECT_FALSE(disassembler->disassemble(0x1000, ""));
}

}  // namespace
}  // namespace kerntoll::lab::path
