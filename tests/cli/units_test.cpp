// SPDX-License-Identifier: MIT
#include "cli/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace kerntoll::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Duration, IsTakenWithEachUnitAndAsSecondsWithout) {
    EXPECT_DOUBLE_EQ(parse_duration("90s")->count(), 90);
    EXPECT_DOUBLE_EQ(parse_duration("2m")->count(), 120);
    EXPECT_DOUBLE_EQ(parse_duration("1.5h")->count(), 5400);
    EXPECT_DOUBLE_EQ(parse_duration("250ms")->count(), 0.25);
    EXPECT_DOUBLE_EQ(parse_duration("7")->count(), 7);
}

TEST(Duration, ThatIsNoneIsRefusedWithWhatWasGiven) {
    for (const char* text : {"", "0s", "-1s", "soon", "5 s", "5d", "nan", "inf", "1e999"}) {
        const auto duration = parse_duration(text);
        ASSERT_FALSE(duration) << text;
        EXPECT_EQ(duration.error().fault, lab::Fault::usage);
        EXPECT_THAT(duration.error().message, HasSubstr("'" + std::string(text) + "'"));
    }
}

TEST(Percent, IsALogRatio) {
    EXPECT_NEAR(*parse_percent("0.5"), std::log(1.005), 1e-15);
    EXPECT_NEAR(*parse_percent("2%"), std::log(1.02), 1e-15);
    EXPECT_NEAR(*parse_percent("100"), std::log(2.0), 1e-15);
}

TEST(Percent, OutsideOfZeroToHundredIsRefused) {
    for (const char* text : {"", "0", "-0.5", "101", "1s", "%", "nan"}) {
        EXPECT_FALSE(parse_percent(text)) << text;
    }
}

TEST(WholeNumber, IsTakenWithinItsBoundsOnly) {
    EXPECT_EQ(*parse_whole("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
    EXPECT_EQ(*parse_whole("3", 3, 3), 3U);
    for (const char* text : {"", "2", "4", "-3", "3.0", "3x", " 3", "18446744073709551619"}) {
        EXPECT_FALSE(parse_whole(text, 3, 3)) << text;
    }
}

TEST(List, LeavesEmptyPartsOut) {
    EXPECT_THAT(split_list("getpid,mix"), ElementsAre("getpid", "mix"));
    EXPECT_THAT(split_list(",getpid,,mix,"), ElementsAre("getpid", "mix"));
    EXPECT_THAT(split_list(""), IsEmpty());
    EXPECT_THAT(split_list(","), IsEmpty());
}

}  // namespace
}  // namespace kerntoll::cli
