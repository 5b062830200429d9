// SPDX-License-Identifier: MIT
#include "cli/condition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kerntoll::cli {
namespace {

using lab::stats::Verdict;
using ::testing::HasSubstr;

Condition only(const char* text) {
    const auto conditions = parse_conditions(text);
    EXPECT_TRUE(conditions);
    EXPECT_EQ(conditions->size(), 1U);
    return conditions->front();
}

TEST(Condition, HoldsWhenAnyRowHasItsVerdict) {
    const std::vector rows{Verdict::equivalent, Verdict::slower};
    EXPECT_TRUE(only("slower").holds(rows));
    EXPECT_FALSE(only("faster").holds(rows));
}

TEST(Condition, NegatedHoldsWhenAnyRowHasAnother) {
    EXPECT_TRUE(only("not-equivalent").holds(std::vector{Verdict::equivalent, Verdict::undecided}));
    EXPECT_FALSE(only("not-equivalent").holds(std::vector{Verdict::equivalent}));
}

TEST(Condition, OfNoRowsNeverHolds) {
    EXPECT_FALSE(only("slower").holds({}));
    EXPECT_FALSE(only("not-equivalent").holds({}));
}

TEST(Condition, IsWrittenAsItIsRead) {
    for (const char* text : {"faster", "slower", "layout-like", "not-equivalent", "untrusted"}) {
        EXPECT_EQ(only(text).text(), text);
    }
}

TEST(Condition, ListsAreTakenApart) {
    EXPECT_EQ(parse_conditions("slower,untrusted")->size(), 2U);
}

TEST(Condition, ThatIsNoneIsRefusedWithTheWordsThereAre) {
    for (const char* text : {"slow", "not-", "not-slow", "Slower", "slower faster"}) {
        const auto conditions = parse_conditions(text);
        ASSERT_FALSE(conditions) << text;
        EXPECT_EQ(conditions.error().fault, lab::Fault::usage);
        EXPECT_THAT(conditions.error().message, HasSubstr("layout-like"));
    }
}

}  // namespace
}  // namespace kerntoll::cli
