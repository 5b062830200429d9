// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lab/stats/correlation.hpp"
#include "lab/stats/stats.hpp"
#include "tests/stats/draws.hpp"

namespace kerntoll::lab::stats {
namespace {

// Hollander and Wolfe, Nonparametric Statistical Methods, example 3.1: Hamilton depression scale
// before and after a tranquilizer. Published: centre -0.46, interval (-0.786, -0.010) at 96.1 %.
// The patients stand in an order that shows no correlation, since there is none between patients.
TEST(Estimate, EqualsATextbookExample) {
    const std::vector<double> depression{-0.952, 0.147,  -1.022, 0.080, -0.620,
                                         -0.430, -0.590, -0.010, -0.490};
    const Estimate result = estimate(depression);
    EXPECT_EQ(result.replicates, 9U);
    EXPECT_LT(result.independent, 9);
    EXPECT_NEAR(result.effect, -0.46, 1e-9);
    // The book takes the replicates for independent; nine cannot show that they are.
    EXPECT_LT(result.interval95.low, -0.786);
    EXPECT_GT(result.interval95.high, -0.010);
    EXPECT_GT(result.p_value, 0.04);
    EXPECT_LT(result.p_value, 0.2);
}

TEST(Estimate, OneReplicateOffByTwentyPercentMovesNothing) {
    Random random(3);
    std::vector<double> effects = draws(40, [&] { return 0.01 + 0.001 * gauss(random); });
    const double before = estimate(effects).effect;
    effects[7] = 0.2;
    effects[21] = -0.2;
    effects[33] = 0.2;
    EXPECT_NEAR(estimate(effects).effect, before, 0.0003);
}

TEST(Estimate, CentreLiesBetweenTheTwoMiddleAverages) {
    // Averages of 0, 1 and 3: 0, 0.5, 1, 1.5, 2, 3.
    EXPECT_EQ(estimate(std::vector<double>{3, 0, 1}).effect, 1.25);
}

TEST(Estimate, FewReplicatesHaveNoInterval) {
    const std::vector<double> few{0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07};
    for (std::size_t n = 0; n <= few.size(); ++n) {
        const Estimate result = estimate(std::span(few).first(n));
        EXPECT_EQ(result.replicates, n);
        EXPECT_EQ(std::isinf(result.interval95.half_width()), n < 6) << n;
        EXPECT_TRUE(std::isinf(result.interval99.half_width())) << n;
        EXPECT_GT(result.p_value, 0.01);
        EXPECT_LE(result.p_value, 1);
    }
    EXPECT_EQ(estimate({}).effect, 0);
    EXPECT_TRUE(std::isinf(Estimate{}.interval95.half_width()));
    EXPECT_EQ(estimate({}).p_value, 1);
}

TEST(Estimate, EqualEffectsAreNoTrouble) {
    const Estimate none = estimate(std::vector<double>(30, 0.0));
    EXPECT_EQ(none.effect, 0);
    EXPECT_EQ(none.interval95.half_width(), 0);
    EXPECT_EQ(none.p_value, 1);
    const Estimate one = estimate(std::vector<double>(30, 0.02));
    EXPECT_EQ(one.effect, 0.02);
    EXPECT_DOUBLE_EQ(one.p_value, std::exp2(-29));
}

TEST(Estimate, LargeEffectIsSignificantAfterFewReplicatesHoweverCorrelated) {
    Random random(9);
    double state = 0;
    const Estimate result = estimate(draws(20, [&] {
        state = 0.5 * state + 0.002 * gauss(random);
        return 0.05 + state;
    }));
    EXPECT_LT(result.p_value, family_level);
    // Nine of the same sign are nine of the same sign.
    EXPECT_GE(estimate(draws(9, [&] { return 0.05 + 1e-6 * gauss(random); })).p_value,
              std::exp2(-8));
}

TEST(Estimate, IntervalIsNestedAndMirrorsWithItsData) {
    Random random(4);
    std::vector<double> effects = draws(50, [&] { return 0.003 + 0.01 * gauss(random); });
    const Estimate plain = estimate(effects);
    EXPECT_LT(plain.interval99.low, plain.interval95.low);
    EXPECT_GT(plain.interval99.high, plain.interval95.high);
    for (double& effect : effects) {
        effect = -effect;
    }
    const Estimate mirrored = estimate(effects);
    EXPECT_DOUBLE_EQ(mirrored.effect, -plain.effect);
    EXPECT_DOUBLE_EQ(mirrored.interval95.low, -plain.interval95.high);
    EXPECT_DOUBLE_EQ(mirrored.interval99.high, -plain.interval99.low);
    EXPECT_DOUBLE_EQ(mirrored.p_value, plain.p_value);
}

TEST(Estimate, CorrelationWidensBeyondTheRangeOfFewReplicates) {
    std::vector<double> rising;
    for (int i = 0; i < 10; ++i) {
        rising.push_back(0.001 * i);
    }
    const Estimate result = estimate(rising);
    EXPECT_DOUBLE_EQ(result.effect, 0.0045);
    EXPECT_LT(result.independent, 4);
    EXPECT_LT(result.interval95.low, -0.0005);
    EXPECT_GT(result.interval95.high, 0.0095);
    EXPECT_TRUE(std::isfinite(result.interval95.half_width()));
}

TEST(Estimate, PAgreesWithTheInterval) {
    Random random(5);
    for (int run = 0; run < 400; ++run) {
        const double shift = 0.004 * uniform(random);
        const std::size_t count = 8 + random.below(100);
        const Estimate result =
            estimate(draws(count, [&] { return shift + 0.01 * gauss(random); }));
        const bool excluded95 = result.interval95.low > 0 || result.interval95.high < 0;
        if (result.p_value < 0.045 || result.p_value > 0.055) {
            EXPECT_EQ(excluded95, result.p_value < 0.05) << count << " p " << result.p_value;
        }
    }
}

double coverage(std::size_t replicates, double correlation) {
    Random random(6);
    constexpr int runs = 2000;
    int covered = 0;
    for (int run = 0; run < runs; ++run) {
        double state = gauss(random);
        const Estimate result = estimate(draws(replicates, [&] {
            const double before = state;
            state = correlation * state + std::sqrt(1 - correlation * correlation) * gauss(random);
            return before;
        }));
        covered += result.interval95.low <= 0 && result.interval95.high >= 0 ? 1 : 0;
    }
    return static_cast<double>(covered) / runs;
}

TEST(Estimate, CoversIndependentReplicates) {
    EXPECT_GT(coverage(20, 0), 0.945);
    EXPECT_LT(coverage(20, 0), 0.99);
    EXPECT_GT(coverage(100, 0), 0.94);
    EXPECT_LT(coverage(100, 0), 0.98);
}

TEST(Estimate, CoversCorrelatedReplicates) {
    EXPECT_GT(coverage(15, 0.5), 0.90);
    EXPECT_GT(coverage(60, 0.5), 0.92);
    EXPECT_GT(coverage(200, 0.5), 0.93);
}

/// By how much the variance of the 95 % interval's centre is taken to be inflated.
double inflation(const std::vector<double>& effects, double centre = 0) {
    const double stretch = Correlation(effects, centre).stretch(0.05);
    return stretch * stretch;
}

TEST(Correlation, InflatesNothingForIndependentReplicatesAndMoreTheMoreIsRemembered) {
    Random random(7);
    const std::vector<double> independent = draws(5000, [&] { return gauss(random); });
    EXPECT_LT(inflation(independent), 1.1);
    double state = 0;
    const std::vector<double> correlated =
        draws(5000, [&] { return state = 0.5 * state + gauss(random); });
    EXPECT_NEAR(inflation(correlated), 3, 0.5);
    // Slow memory under noise as large: 10; the first lag alone would say 2.6.
    const std::vector<double> slow = draws(5000, [&] {
        state = 0.9 * state + std::sqrt(1 - 0.81) * gauss(random);
        return state + gauss(random);
    });
    EXPECT_NEAR(inflation(slow), 10, 3);
    std::vector<double> alternating(100);
    for (std::size_t i = 0; i < alternating.size(); ++i) {
        alternating[i] = i % 2 == 0 ? 1 : -1;
    }
    EXPECT_NEAR(inflation(alternating), 1, 0.02);
    EXPECT_NEAR(inflation(std::vector<double>(50, 0.25), 0.25), 1, 1e-4);
    EXPECT_NEAR(inflation({1, 2, 3, 4, 5, 6, 7}), 1, 1e-4) << "too few to tell";
}

TEST(Correlation, OfFewReplicatesIsLeftOpenSoThatRareErrorsAreStretchedMost) {
    Random random(8);
    const std::vector<double> independent = draws(20, [&] { return gauss(random); });
    const Correlation correlation(independent, 0);
    double sum = 0;
    for (const auto& [weight, factor] : correlation.possible()) {
        sum += weight;
        EXPECT_GE(factor, 1);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_GT(correlation.stretch(0.05), 1.01);
    EXPECT_GT(correlation.stretch(0.001), 1.2 * correlation.stretch(0.05));
}

TEST(Correlation, OfALongSeriesIsTheSameThoughItIsLookedAtInGroups) {
    Random random(7);
    double state = 0;
    const std::vector<double> correlated =
        draws(50'000, [&] { return state = 0.9 * state + gauss(random); });
    EXPECT_NEAR(inflation(correlated), 19, 4);
}

TEST(Undisturbed, IsTheLowerQuartileInterpolated) {
    EXPECT_EQ(undisturbed(std::vector<double>{7}), 7);
    EXPECT_EQ(undisturbed(std::vector<double>{5, 3, 1, 4, 2}), 2);
    EXPECT_EQ(undisturbed(std::vector<double>{4, 1, 3, 2}), 1.75);
    EXPECT_EQ(undisturbed(std::vector<double>{8, 2, 6, 4, 7, 1, 5, 3}), 2.75);
}

TEST(ReplicateEffect, IsUntouchedByDisturbancesOfMoreThanHalfOfTheBlocks) {
    const std::vector<double> base{100, 130, 100, 150, 100, 190, 140, 120};
    const std::vector<double> change{180, 101, 140, 190, 101, 101, 130, 170};
    EXPECT_NEAR(replicate_effect(base, change), std::log(1.01), 1e-12);
    EXPECT_NEAR(replicate_effect(std::vector<double>{4}, std::vector<double>{2}), std::log(0.5),
                1e-12);
}

TEST(ReplicateEffect, IsNotDecidedByOneShortBatch) {
    const std::vector<double> base{100, 100, 100, 100, 100, 100, 100, 100};
    const std::vector<double> change{50, 101, 101, 101, 101, 101, 101, 101};
    EXPECT_NEAR(replicate_effect(base, change), std::log(1.01), 1e-12);
}

TEST(Median, OfOddAndEvenCounts) {
    EXPECT_EQ(median(std::vector<double>{3}), 3);
    EXPECT_EQ(median(std::vector<double>{9, 1, 5}), 5);
    EXPECT_EQ(median(std::vector<double>{9, 1, 5, 4}), 4.5);
}

TEST(StoppingRule, LooksAtWidthsAndNumbersOnly) {
    Estimate narrow;
    narrow.replicates = 25;
    narrow.independent = 25;
    narrow.effect = 0.3;
    narrow.interval95 = {0.299, 0.301};
    narrow.p_value = 1e-9;
    Estimate wide = narrow;
    wide.interval95 = {0.29, 0.31};
    EXPECT_TRUE(precise_enough(std::vector{narrow}, 0.0011, 20));
    EXPECT_TRUE(precise_enough(std::vector{narrow, narrow}, 0.0011, 25));
    EXPECT_FALSE(precise_enough(std::vector{narrow}, 0.0011, 26));
    Estimate correlated = narrow;
    correlated.replicates = 100;  // inflation 4: twice as many independent ones are asked for
    EXPECT_TRUE(precise_enough(std::vector{correlated}, 0.0011, 12));
    EXPECT_FALSE(precise_enough(std::vector{correlated}, 0.0011, 13));
    EXPECT_FALSE(precise_enough(std::vector{narrow}, 0.0009, 20));
    EXPECT_FALSE(precise_enough(std::vector{narrow, wide}, 0.0011, 20));
    EXPECT_FALSE(precise_enough({}, 1, 0));
}

TEST(SmallestDetectable, IsFoundInNinetyFiveOfHundredRuns) {
    Random random(8);
    const auto run = [&](double shift) {
        return estimate(draws(80, [&] { return shift + 0.01 * gauss(random); }));
    };
    std::vector<double> sizes;
    for (int i = 0; i < 50; ++i) {
        sizes.push_back(smallest_detectable(run(0)));
    }
    const double size = median(sizes);
    int found = 0;
    for (int i = 0; i < 1000; ++i) {
        found += run(size).p_value <= family_level ? 1 : 0;
    }
    EXPECT_GT(found, 940);
    EXPECT_LT(found, 990);
    EXPECT_TRUE(std::isinf(smallest_detectable(estimate(std::vector<double>{1, 2}))));
}

TEST(ReplicatesNeeded, FollowsTheSquareRootLaw) {
    Estimate now;
    now.replicates = 20;
    now.independent = 20;
    now.interval95 = {-0.01, 0.01};
    EXPECT_EQ(replicates_needed(now, 0.01, 20), 20U);
    EXPECT_EQ(replicates_needed(now, 0.005, 20), 80U);
    EXPECT_EQ(replicates_needed(now, 0.02, 20), 20U);
    EXPECT_FALSE(replicates_needed(estimate(std::vector<double>{1, 2}), 0.01, 20).has_value());
}

TEST(ReplicatesNeeded, AsksForIndependentOnesToo) {
    Estimate now;
    now.replicates = 30;
    now.independent = 7.5;
    now.interval95 = {-0.01, 0.01};
    EXPECT_FALSE(precise_enough(std::span(&now, 1), 0.01, 20));
    EXPECT_EQ(replicates_needed(now, 0.01, 20), 160U) << "20 times the root of four, cubed";
}

TEST(BetweenShare, EqualsAPublishedExample) {
    // Shrout and Fleiss, Psychological Bulletin 86 (1979), table 2: ICC(1,1) = 0.17.
    const std::vector<std::vector<double>> ratings{{9, 2, 5, 8}, {6, 1, 3, 2},  {8, 4, 6, 8},
                                                   {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}};
    const auto share = between_share(ratings);
    ASSERT_TRUE(share.has_value());
    EXPECT_NEAR(*share, 0.1657, 0.0001);
}

TEST(BetweenShare, KnowsTheExtremesAndWhatCannotBeTold) {
    using Groups = std::vector<std::vector<double>>;
    EXPECT_EQ(between_share(Groups{{1, 1}, {2, 2}, {3, 3}}), 1);
    EXPECT_EQ(between_share(Groups{{1, 2}, {2, 1}, {1, 2}}), 0);
    EXPECT_FALSE(between_share(Groups{{1}, {2}, {3}}).has_value());
    EXPECT_FALSE(between_share(Groups{{1, 2}}).has_value());
    EXPECT_FALSE(between_share(Groups{{1, 1}, {1, 1}}).has_value());
    EXPECT_FALSE(between_share(Groups{}).has_value());
    EXPECT_TRUE(between_share(Groups{{1, 2}, {}, {2, 3, 4}}).has_value());
}

}  // namespace
}  // namespace kerntoll::lab::stats
