// SPDX-License-Identifier: MIT
// Which of a trace's round trips is the path, and what keeps a trace from having one.
#include "lab/path/choice.hpp"

#include <gmock/gmock.h>

namespace kerntoll::lab::path {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Indices of the trace's instructions.
constexpr std::uint32_t other_user = 0;  // of the user's, before the trap
constexpr std::uint32_t trap = 1;
constexpr std::uint32_t entry = 2;
constexpr std::uint32_t work = 3;
constexpr std::uint32_t back = 4;
constexpr std::uint32_t idle = 5;

Trace trace_of(std::vector<Variant> variants) {
    Trace trace;
    trace.target = "riscv64";
    trace.rounds_wanted = 100;
    trace.instructions = {
        {0x1000, std::string(4, 'a'), "00000013          addi                    a0,a0,1"},
        {0x1004, std::string(4, 'b'), "00000073          ecall"},
        {0xffffffff80000000, std::string(4, 'c'), "14021273          csrrw  tp,sscratch,tp"},
        {0xffffffff80000004, std::string(4, 'd'), "00000013          addi   a0,a0,1"},
        {0xffffffff80000008, std::string(4, 'e'), "10200073          sret"},
        {0xffffffff8000000c, std::string(4, 'f'), "10500073          wfi"},
    };
    trace.variants = std::move(variants);
    return trace;
}

Variant variant(std::vector<std::uint32_t> steps, std::uint64_t rounds) {
    return {.path = {.steps = std::move(steps), .accesses = {}}, .rounds = rounds};
}

Result<RecordedPath> choose(Trace trace, std::size_t call = 1) {
    return choose_path(std::move(trace), nullptr, {.workload = "getpid", .call = call}, "linux:a");
}

TEST(Choice, ThePathIsWhatMostRoundTripsTook) {
    const auto path =
        choose(trace_of({variant({trap, entry, work, work, back}, 1),
                         variant({trap, entry, work, back}, 98), variant({trap, entry, back}, 1)}));
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(path->traced.anatomy.steps.size(), 3U);
    EXPECT_THAT(path->traced.remarks,
                Contains(HasSubstr("98 of 100 round trips took this path, the other 2 took 2 "
                                   "others")));
}

TEST(Choice, WhereACallEntersThePathATrapIsNone) {
    auto trace =
        trace_of({variant({trap, entry, back}, 60), variant({other_user, entry, work, back}, 40)});
    trace.instructions[other_user].text = "00000013          jal                     ra,72";
    const auto by_call =
        choose_path(trace, nullptr, {.workload = "getpid"}, "hosted:", {}, Entrance::call);
    ASSERT_TRUE(by_call) << by_call.error().message;
    EXPECT_EQ(by_call->calls_per_op, 1U);
    EXPECT_EQ(by_call->traced.anatomy.steps.size(), 3U);
    const auto by_trap = choose(std::move(trace));
    ASSERT_TRUE(by_trap);
    EXPECT_EQ(by_trap->calls_per_op, 1U);
    EXPECT_EQ(by_trap->traced.anatomy.steps.size(), 2U);
}

TEST(Choice, ARemarkCountsOneAsOne) {
    const auto remarks = [](std::vector<Variant> variants) {
        const auto path = choose(trace_of(std::move(variants)));
        EXPECT_TRUE(path);
        return path->traced.remarks;
    };
    EXPECT_THAT(remarks({variant({trap, entry, work, back}, 1)}),
                Contains("The one round trip that was recorded took this path."));
    EXPECT_THAT(remarks({variant({trap, entry, work, back}, 99), variant({trap, entry, back}, 1)}),
                Contains(HasSubstr("99 of 100 round trips took this path, the other one another")));
    EXPECT_THAT(remarks({variant({trap, entry, work, back}, 97), variant({trap, entry, back}, 3)}),
                Contains(HasSubstr("the other 3 took one other")));
}

TEST(Choice, AnInterruptOfTheLoopIsNoCall) {
    const auto trace = trace_of(
        {variant({other_user, entry, work, work, back}, 60), variant({trap, entry, back}, 40)});
    const auto path = choose(trace);
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(path->traced.anatomy.steps.size(), 2U);
    EXPECT_THAT(path->traced.remarks, Contains("All 40 round trips took this path."));
    const auto second = choose(trace, 2);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().fault, Fault::usage);
    EXPECT_THAT(second.error().message, HasSubstr("makes 1 call"));
}

TEST(Choice, ACallThatWaitsHasNoPathAlsoWithoutSymbols) {
    const auto path = choose(trace_of({variant({trap, entry, idle, work, back}, 100)}));
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::measurement);
    EXPECT_THAT(path.error().message, HasSubstr("waits or gives the CPU to another task"));
}

TEST(Choice, ATimerThatLedToAnotherTaskOnceIsNotThePath) {
    EXPECT_TRUE(choose(trace_of(
        {variant({trap, entry, idle, work, back}, 1), variant({trap, entry, work, back}, 99)})));
}

TEST(Choice, ACallThatDidNotComeBackSaysWithinWhat) {
    Trace trace = trace_of({});
    trace.end = trace_format::End::too_long;
    trace.unfinished.steps = {trap, entry, work, work, work};
    const auto path = choose(std::move(trace));
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::measurement);
    EXPECT_THAT(path.error().message, HasSubstr("within 4 instructions"));
}

TEST(Choice, ARecordingThatEndedEarlyHasNoPath) {
    Trace trace = trace_of({variant({trap, entry, back}, 7)});
    trace.end = trace_format::End::guest_ended;
    const auto path = choose(std::move(trace));
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::measurement);
    EXPECT_THAT(path.error().message, HasSubstr("before 100 ops of getpid were recorded"));
}

TEST(Choice, SymbolsOfAnotherKernelAreRefused) {
    auto symbols = Symbols::parse(
        "ffffffff80000000 T earlier\nffffffff80000800 T handle_exception\n"
        "ffffffff80000900 T later\n",
        "System.map");
    ASSERT_TRUE(symbols) << symbols.error().message;
    Trace trace = trace_of({variant({trap, work, back}, 100)});
    const auto path = choose_path(std::move(trace), std::make_unique<Symbols>(*std::move(symbols)),
                                  {}, "linux:a");
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::usage);
    EXPECT_THAT(path.error().message, HasSubstr("the symbols of System.map are another kernel's"));
}

TEST(Choice, ARemarkSaysWhichAccessesToMemoryAreNotSeen) {
    const auto remarks = [](const std::vector<Access>& accesses) {
        Trace trace;
        trace.target = "s390x";
        trace.instructions = {{0x1000, "\x0a\x14", "svc 20"},
                              {0x10000, std::string(6, '\xd2'), "mvc 0(8, %r1), 0(%r2)"},
                              {0x10006, std::string(6, '\xd7'), "xc 0(8, %r1), 0(%r1)"},
                              {0x1000c, std::string(6, '\xd5'), "clc 0(8, %r1), 0(%r2)"},
                              {0x10012, "\xb2\xb2\x02\x90", ".byte 0xb2, 0xb2, 0x02, 0x90"}};
        trace.variants = {{.path = {.steps = {0, 1, 2, 3, 4}, .accesses = accesses}, .rounds = 1}};
        const auto path = choose(std::move(trace));
        EXPECT_TRUE(path) << path.error().message;
        return path ? path->traced.remarks : std::vector<std::string>{};
    };
    EXPECT_THAT(remarks({{.step = 4, .size = 8, .store = false, .address = 0x290}}),
                Contains(HasSubstr("accesses of 2 instructions from storage to storage")));
    // This one QEMU did by plain stores.
    EXPECT_THAT(remarks({{.step = 2, .size = 8, .store = true, .address = 0x300}}),
                Contains(HasSubstr("accesses of 1 instruction from storage to storage")));
    // Single steps show none at all, which is said elsewhere.
    EXPECT_THAT(remarks({}), testing::Not(Contains(HasSubstr("storage"))));
}

}  // namespace
}  // namespace kerntoll::lab::path
