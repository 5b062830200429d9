// SPDX-License-Identifier: MIT
#include "lab/report/numbers.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/report/dots.hpp"

namespace kerntoll::lab::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double infinity = std::numeric_limits<double>::infinity();

stats::Estimate estimate_percent(double effect, double low, double high) {
    stats::Estimate estimate;
    estimate.replicates = 30;
    estimate.effect = std::log1p(effect / 100);
    estimate.interval95 = {std::log1p(low / 100), std::log1p(high / 100)};
    return estimate;
}

TEST(Numbers, show_no_more_digits_than_the_interval_supports) {
    EXPECT_EQ(effect_and_interval_text(estimate_percent(-3.4234, -3.5734, -3.2734)),
              "-3.42 % [-3.57, -3.27]");
    EXPECT_EQ(effect_and_interval_text(estimate_percent(5.1234, 5.0434, 5.2034)),
              "+5.12 % [+5.04, +5.20]");
    EXPECT_EQ(effect_and_interval_text(estimate_percent(-8.12, -13.12, -3.12)), "-8 % [-13, -3]");
    EXPECT_EQ(effect_and_interval_text(estimate_percent(47.123456, 47.1, 47.2)),
              "+47.12 % [+47.10, +47.20]");
}

TEST(Numbers, that_round_to_zero_have_no_sign) {
    EXPECT_EQ(effect_and_interval_text(estimate_percent(-0.0004, -0.15, 0.15)),
              "0.00 % [-0.15, +0.15]");
}

TEST(Numbers, without_an_interval_show_none) {
    stats::Estimate few;
    few.replicates = 3;
    few.effect = 0.01234;
    few.interval95 = {-infinity, infinity};
    EXPECT_EQ(effect_and_interval_text(few), "+1.2 %");
    EXPECT_EQ(effect_and_interval_text({}), "-");
}

TEST(Numbers, of_both_sides_have_the_decimals_of_the_less_certain) {
    Figures base;
    base.ns_per_op = 102.4321;
    base.ns_interval = {102.38, 102.48};
    Figures change;
    change.ns_per_op = 151.2589;
    change.ns_interval = {150.8, 151.8};
    EXPECT_THAT(ns_texts(std::array{&std::as_const(base), &std::as_const(change)}),
                ElementsAre("102.4", "151.3"));
    change.ns_interval = {0, infinity};
    EXPECT_THAT(ns_texts(std::array{&std::as_const(base), &std::as_const(change)}),
                ElementsAre("102", "151"));
    change.ns_per_op.reset();
    EXPECT_THAT(ns_texts(std::array{&std::as_const(base), &std::as_const(change)}),
                ElementsAre("102.43", "-"));
}

TEST(Numbers, of_instructions_are_whole_where_they_are) {
    EXPECT_EQ(count_text(348), "348");
    EXPECT_EQ(count_text(309.5), "309.50");
    EXPECT_EQ(count_difference_text(348, 309), "-39 (-11.21 %)");
    EXPECT_EQ(count_difference_text(309, 348), "+39 (+12.62 %)");
    EXPECT_EQ(count_difference_text(348, 348), "same");
}

TEST(Numbers, of_sizes_and_durations_are_short) {
    EXPECT_EQ(size_text(std::log1p(0.005)), "0.5 %");
    EXPECT_EQ(size_text(0.005), "0.5 %");
    EXPECT_EQ(size_text(std::log1p(0.0075)), "0.75 %");
    EXPECT_EQ(size_text(infinity), "-");
    EXPECT_EQ(duration_text(31.4), "31 s");
    EXPECT_EQ(duration_text(540), "9 min");
    EXPECT_EQ(duration_text(9000), "2.5 h");
    EXPECT_EQ(duration_text(345600), "4 days");
}

std::size_t place_of(const std::string& dots, std::string_view what) {
    std::size_t column = 0;
    for (std::size_t byte = 0; byte < dots.size(); ++byte) {
        if (std::string_view(dots).substr(byte).starts_with(what)) {
            return column;
        }
        column += (static_cast<unsigned char>(dots[byte]) & 0xc0U) != 0x80U ? 1 : 0;
    }
    return std::string::npos;
}

TEST(Dots, stand_where_the_values_lie) {
    const auto drawn = strip(std::array{1.0, 2.0, 3.0}, 5, Zero::left_out);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->dots, "· · ·");
    EXPECT_EQ(drawn->low, 1);
    EXPECT_EQ(drawn->high, 3);
}

TEST(Dots, are_heavier_where_there_are_more) {
    const auto drawn =
        strip(std::array{1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0}, 3, Zero::left_out);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->dots, "·█·");
}

TEST(Dots, show_zero_where_it_is_near) {
    const auto near = strip(std::array{0.01, 0.02, 0.03, 0.025}, 20, Zero::shown);
    ASSERT_TRUE(near);
    EXPECT_EQ(place_of(near->dots, "|"), 0U);
    const auto far = strip(std::array{1.01, 1.02, 1.03, 1.025}, 20, Zero::shown);
    ASSERT_TRUE(far);
    EXPECT_THAT(far->dots, Not(HasSubstr("|")));
    const auto across = strip(std::array{-1.0, 1.0}, 21, Zero::shown);
    ASSERT_TRUE(across);
    EXPECT_EQ(place_of(across->dots, "|"), 10U);
}

TEST(Dots, gather_far_strays_at_the_end) {
    std::vector<double> values(50, 1.0);
    for (std::size_t index = 0; index < values.size(); ++index) {
        values[index] += static_cast<double>(index) / 1000;
    }
    values.push_back(1000);
    const auto drawn = strip(values, 40, Zero::left_out);
    ASSERT_TRUE(drawn);
    EXPECT_LT(drawn->high, 2);
    EXPECT_GT(place_of(drawn->dots, " "), 3U);
}

TEST(Dots, need_two_values_that_may_be_the_same) {
    EXPECT_FALSE(strip(std::array{1.0}, 20, Zero::shown));
    EXPECT_TRUE(strip(std::array{0.0, 0.0}, 20, Zero::shown));
}

}  // namespace
}  // namespace kerntoll::lab::report
