// SPDX-License-Identifier: MIT
// Paths of which one side alone has names.
#include "lab/path/lend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/path/round_trip.hpp"

namespace kerntoll::lab::path {
namespace {

const FunctionDifference& of(const Difference& difference, const std::string& name) {
    const auto found = std::ranges::find(difference.functions, name, &FunctionDifference::name);
    static const FunctionDifference none{.name = "none", .into = {}, .base = {}, .change = {}};
    EXPECT_NE(found, difference.functions.end()) << name;
    return found == difference.functions.end() ? none : *found;
}

/// The same path as it is without symbols: by the addresses that it was entered at. Only calls
/// begin functions there.
Anatomy without_names(Anatomy anatomy) {
    std::vector<std::uint32_t> called(anatomy.functions.size(), 0);
    for (std::size_t at = 0; at + 1 < anatomy.steps.size(); ++at) {
        if (anatomy.steps[at].kind.flow == Flow::call) {
            called[anatomy.steps[at + 1].function] = anatomy.steps[at + 1].function;
        }
    }
    for (FunctionPart& function : anatomy.functions) {
        function.name = fmt::format("{:#x}", function.start);
    }
    for (Step& step : anatomy.steps) {
        step.function = called[step.function];  // else the stub's
        step.phase = Phase::inside;
    }
    recount(anatomy);
    return anatomy;
}

Explanation explained(Anatomy base, Anatomy change) {
    return explain({.target = "a", .workload = "getpid", .anatomy = std::move(base)},
                   {.target = "b", .workload = "getpid", .anatomy = std::move(change)});
}

TEST(NamesOfOneSide, AreThoseOfTheOtherWhereTheInstructionsAreTheSame) {
    for (const bool base_named : {true, false}) {
        Anatomy named = getpid_path(WayOut::called, 0xffffffff80001000);
        Anatomy nameless = without_names(getpid_path(WayOut::called, 0xffffffff80001000));
        ASSERT_LT(nameless.functions.size(), 20U);
        const auto explanation =
            base_named ? explained(named, nameless) : explained(nameless, named);
        EXPECT_TRUE(std::ranges::all_of(explanation.difference.pairs,
                                        [](const Pair& pair) { return pair.base && pair.change; }));
        for (const FunctionDifference& function : explanation.difference.functions) {
            EXPECT_EQ(function.fate, Fate::unchanged) << function.name;
        }
        EXPECT_EQ(of(explanation.difference, "ret_from_exception").instructions(), 0);
        const Traced& lent = base_named ? explanation.change : explanation.base;
        ASSERT_EQ(lent.remarks.size(), 1U);
        EXPECT_TRUE(lent.remarks[0].contains("210 of 210")) << lent.remarks[0];
        EXPECT_EQ(counts_of(lent.anatomy, Phase::exit).instructions,
                  counts_of(named, Phase::exit).instructions);
    }
}

TEST(NamesOfOneSide, CallNothingInlined) {
    const auto explanation =
        explained(getpid_path(WayOut::called, 0xffffffff80001000),
                  without_names(getpid_path(WayOut::inlined, 0xffffffff80023000)));
    std::int64_t sum = 0;
    for (const FunctionDifference& function : explanation.difference.functions) {
        EXPECT_NE(function.fate, Fate::inlined) << function.name;
        sum += function.instructions();
    }
    EXPECT_EQ(sum, -13);
    EXPECT_EQ(of(explanation.difference, "handle_exception").fate, Fate::unchanged);
}

TEST(NamesOfOneSide, AreNotGivenToCodeThatIsLikeNone) {
    const Anatomy named = PathWriter()
                              .enter("stub")
                              .call("f")
                              .steps({"add a0,a0,a1", "sub a0,a0,a2"})
                              .ret()
                              .anatomy();
    const Anatomy other = without_names(PathWriter()
                                            .enter("stub")
                                            .call("g")
                                            .steps({"xor a0,a0,a1", "and a0,a0,a1", "or a0,a0,a1"})
                                            .ret()
                                            .anatomy());
    const auto explanation = explained(named, other);
    EXPECT_EQ(of(explanation.difference, "f").fate, Fate::gone);
    const auto fate = std::ranges::find_if(
        explanation.difference.functions,
        [](const FunctionDifference& function) { return function.name.starts_with("0x"); });
    ASSERT_NE(fate, explanation.difference.functions.end());
    EXPECT_EQ(fate->fate, Fate::appeared);
}

}  // namespace
}  // namespace kerntoll::lab::path
