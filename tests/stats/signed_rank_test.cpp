// SPDX-License-Identifier: MIT
#include "lab/stats/signed_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "tests/stats/draws.hpp"

namespace kerntoll::lab::stats {
namespace {

std::vector<double> all_averages(const std::vector<double>& values) {
    std::vector<double> averages;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j) {
            averages.push_back((values[i] + values[j]) / 2);
        }
    }
    std::ranges::sort(averages);
    return averages;
}

TEST(WalshAverage, EveryRankIsThatOfTheSortedList) {
    Random random(1);
    for (std::size_t n = 1; n <= 25; ++n) {
        std::vector<double> values = draws(n, [&] { return gauss(random); });
        std::ranges::sort(values);
        const std::vector<double> expected = all_averages(values);
        for (std::size_t rank = 0; rank < expected.size(); ++rank) {
            ASSERT_EQ(walsh_average(values, rank), expected[rank]) << n << " " << rank;
        }
    }
}

TEST(WalshAverage, TiesAndEqualValuesEndAndAreRight) {
    const std::vector<double> equal(50, 0.25);
    EXPECT_EQ(walsh_average(equal, 0), 0.25);
    EXPECT_EQ(walsh_average(equal, 50 * 51 / 2 - 1), 0.25);
    Random random(2);
    std::vector<double> coarse = draws(60, [&] { return static_cast<double>(random.below(4)); });
    std::ranges::sort(coarse);
    const std::vector<double> expected = all_averages(coarse);
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
        ASSERT_EQ(walsh_average(coarse, rank), expected[rank]) << rank;
    }
}

// Two-sided critical values as in Wilcoxon and Wilcox, Some Rapid Approximate Statistical
// Procedures (1964), where the tail must not exceed its nominal size; 50 by the exact recursion.
TEST(SignedRankCritical, EqualsPublishedTables) {
    const std::vector<std::tuple<std::size_t, double, std::size_t>> table{
        {6, 0.05, 0},    {7, 0.05, 2},    {8, 0.05, 3},   {9, 0.05, 5},   {10, 0.05, 8},
        {11, 0.05, 10},  {12, 0.05, 13},  {15, 0.05, 25}, {20, 0.05, 52}, {25, 0.05, 89},
        {30, 0.05, 137}, {50, 0.05, 434}, {8, 0.01, 0},   {9, 0.01, 1},   {10, 0.01, 3},
        {12, 0.01, 7},   {15, 0.01, 15},  {20, 0.01, 37}, {25, 0.01, 68}, {30, 0.01, 109},
    };
    for (const auto& [n, level, expected] : table) {
        const auto critical = signed_rank_critical(n, level / 2);
        ASSERT_TRUE(critical.has_value()) << n;
        EXPECT_EQ(*critical, expected) << n << " at " << level;
    }
    EXPECT_FALSE(signed_rank_critical(5, 0.025).has_value());
    EXPECT_FALSE(signed_rank_critical(7, 0.005).has_value());
    EXPECT_FALSE(signed_rank_critical(0, 0.025).has_value());
}

TEST(SignedRankCritical, TailMayBeUsedUpExactly) {
    EXPECT_EQ(signed_rank_critical(6, 1.0 / 64), 0U);  // P(T = 0) is one of 64 signs
    EXPECT_EQ(signed_rank_critical(6, 2.0 / 64), 1U);
    EXPECT_FALSE(signed_rank_critical(6, 0.99 / 64).has_value());
}

TEST(SignedRankCritical, NormalIsWithinOneOfTheExactOne) {
    constexpr std::size_t n = 80;
    std::vector<double> probability{1};
    for (std::size_t rank = 1; rank <= n; ++rank) {
        std::vector<double> next(probability.size() + rank, 0.0);
        for (std::size_t t = 0; t < probability.size(); ++t) {
            next[t] += probability[t] / 2;
            next[t + rank] += probability[t] / 2;
        }
        probability = next;
    }
    double sum = 0;
    std::size_t exact = 0;
    while (sum + probability[exact] <= 0.025) {
        sum += probability[exact++];
    }
    EXPECT_NEAR(static_cast<double>(signed_rank_critical(n, 0.025).value()),
                static_cast<double>(exact - 1), 1);
}

TEST(SignedRankCritical, NormalTakesOverWithoutAStep) {
    // Standardised, the exact value of 64 and the normal one of 65 lie at the same place.
    const auto standardised = [](std::size_t n, double tail) {
        const auto count = static_cast<double>(n);
        const double mean = count * (count + 1) / 4;
        const double deviation = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
        return (static_cast<double>(signed_rank_critical(n, tail).value()) - mean) / deviation;
    };
    for (const double tail : {0.0005, 0.005, 0.025, 0.25}) {
        EXPECT_NEAR(standardised(64, tail), standardised(65, tail), 0.08) << tail;
    }
    EXPECT_NEAR(standardised(1000, 0.025), -1.96, 0.01);
}

}  // namespace
}  // namespace kerntoll::lab::stats
