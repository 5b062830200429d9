// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

Estimate around(double effect, double half_width, double p_value = 1) {
    Estimate estimate;
    estimate.replicates = 40;
    estimate.effect = effect;
    estimate.interval95 = {effect - half_width, effect + half_width};
    estimate.interval99 = {effect - 1.35 * half_width, effect + 1.35 * half_width};
    estimate.p_value = p_value;
    return estimate;
}

/// A clear change of images with different instruction counts, on a quiet machine.
Evidence clear(double effect) {
    Evidence evidence;
    evidence.change = around(effect, 0.0015, 1e-6);
    evidence.control = around(0, 0.0015);
    evidence.adjusted_p = 1e-6;
    return evidence;
}

TEST(Decide, SignSaysFasterOrSlower) {
    EXPECT_EQ(decide(clear(-0.01)).verdict, Verdict::faster);
    EXPECT_EQ(decide(clear(0.01)).verdict, Verdict::slower);
    EXPECT_FALSE(decide(clear(0.01)).layout_untested);
}

TEST(Decide, InsideTheMarginIsEquivalentEvenWhereZeroIsExcluded) {
    EXPECT_EQ(decide(clear(0.003)).verdict, Verdict::equivalent);
    EXPECT_EQ(decide(clear(-0.003)).verdict, Verdict::equivalent);
    EXPECT_EQ(decide(clear(0)).verdict, Verdict::equivalent);
    EXPECT_EQ(decide(clear(0.0036)).verdict, Verdict::slower);  // reaches 0.51 %
    Evidence wider = clear(0.0036);
    wider.margin = 0.01;
    EXPECT_EQ(decide(wider).verdict, Verdict::equivalent);
}

TEST(Decide, SaysTheMarginInPercentAsItWasGiven) {
    Evidence evidence = clear(0.1);
    evidence.margin = std::log(1.5);
    EXPECT_THAT(decide(evidence).reason, HasSubstr("±50.00 %"));
}

TEST(Decide, IntervalThatHoldsZeroAndLeavesTheMarginIsUndecided) {
    Evidence evidence = clear(0.004);
    evidence.change = around(0.004, 0.005, 0.2);
    evidence.adjusted_p = 1e-9;  // cannot be: the interval must decide all the same
    EXPECT_EQ(decide(evidence).verdict, Verdict::undecided);
}

TEST(Decide, ZeroExcludedIsNotEnoughWithoutTheAdjustedLevel) {
    Evidence evidence = clear(0.01);
    evidence.adjusted_p = 2 * family_level;
    EXPECT_EQ(decide(evidence).verdict, Verdict::undecided);
    EXPECT_THAT(decide(evidence).reason, HasSubstr("adjusted p"));
    evidence.adjusted_p = family_level;
    EXPECT_EQ(decide(evidence).verdict, Verdict::slower);
}

TEST(Decide, UnboundedIntervalIsUndecided) {
    Evidence evidence = clear(0.01);
    evidence.change.replicates = 4;
    evidence.change.interval95 = {-infinite, infinite};
    evidence.adjusted_p = 0.125;
    EXPECT_EQ(decide(evidence).verdict, Verdict::undecided);
    EXPECT_THAT(decide(evidence).reason, HasSubstr("4 replicates are too few"));
}

TEST(Decide, ControlOutsideTheMarginIsUntrustedBeforeAllElse) {
    for (const double effect : {0.0, 0.01, -0.01}) {
        Evidence evidence = clear(effect);
        evidence.control = around(0.01, 0.002);
        EXPECT_EQ(decide(evidence).verdict, Verdict::untrusted) << effect;
        evidence.control = around(-0.01, 0.002);
        EXPECT_EQ(decide(evidence).verdict, Verdict::untrusted) << effect;
    }
}

TEST(Decide, ControlThatReachesIntoTheMarginIsTrusted) {
    Evidence evidence = clear(0.01);
    evidence.control = around(0.006, 0.002);
    EXPECT_EQ(decide(evidence).verdict, Verdict::slower);
    // The 99 % interval counts, not the 95 % one: 0.0073 - 1.35 * 0.002 = 0.0046.
    evidence.control = around(0.0073, 0.002);
    EXPECT_EQ(decide(evidence).verdict, Verdict::slower);
    evidence.control.interval99 = {-infinite, infinite};
    EXPECT_EQ(decide(evidence).verdict, Verdict::slower);
}

TEST(Decide, MisbehaviourIsUntrustedAndNamed) {
    Evidence evidence = clear(0);
    evidence.misbehaved = "the CPU was throttled";
    const Decision decision = decide(evidence);
    EXPECT_EQ(decision.verdict, Verdict::untrusted);
    EXPECT_EQ(decision.reason, "the CPU was throttled");
}

TEST(Decide, EqualCountsOfFixedImagesNeverEndFasterOrSlower) {
    for (const double effect : {0.05, -0.05}) {
        Evidence evidence = clear(effect);
        evidence.fixed_images = true;
        evidence.equal_counts = true;
        EXPECT_EQ(decide(evidence).verdict, Verdict::layout_like);
        evidence.equal_counts = false;
        EXPECT_EQ(decide(evidence).verdict, effect < 0 ? Verdict::faster : Verdict::slower);
        evidence.equal_counts = std::nullopt;
        EXPECT_EQ(decide(evidence).verdict, effect < 0 ? Verdict::faster : Verdict::slower);
        evidence.equal_counts = true;
        evidence.fixed_images = false;  // layouts are drawn: the difference is no layout
        EXPECT_EQ(decide(evidence).verdict, effect < 0 ? Verdict::faster : Verdict::slower);
    }
    Evidence small = clear(0.001);
    small.fixed_images = true;
    small.equal_counts = true;
    EXPECT_EQ(decide(small).verdict, Verdict::equivalent);
}

TEST(Decide, FixedImagesWithoutPlacebosAreLayoutUntested) {
    Evidence evidence = clear(0.05);
    evidence.fixed_images = true;
    EXPECT_TRUE(decide(evidence).layout_untested);
    evidence.placebos = {around(0.0001, 0.0001), around(-0.0001, 0.0001)};
    EXPECT_EQ(decide(evidence).verdict, Verdict::slower);
    EXPECT_FALSE(decide(evidence).layout_untested);
}

TEST(Decide, EffectInsideThePlacebosReachIsLayoutLike) {
    // As seen on riscv64: the change +0.5 %, its placebos +4.7 and -2.6 %.
    Evidence evidence = clear(0.006);
    evidence.fixed_images = true;
    evidence.placebos = {around(0.047, 0.003), around(-0.026, 0.003)};
    EXPECT_EQ(decide(evidence).verdict, Verdict::layout_like);
    evidence.change = around(0.04, 0.06, 0.3);  // holds zero, wide, but within the reach
    evidence.adjusted_p = 0.3;
    EXPECT_EQ(decide(evidence).verdict, Verdict::layout_like);
    evidence.change = around(0.1, 0.4, 0.3);  // wider than the reach: nothing is known
    EXPECT_EQ(decide(evidence).verdict, Verdict::undecided);
}

TEST(Decide, OnePlaceboReachesFarAndManyReachAsFarAsTheyDo) {
    Evidence evidence = clear(0.02);
    evidence.fixed_images = true;
    evidence.placebos = {around(0.003, 0.001)};  // reach: 0.15 ± 3.3 %
    EXPECT_EQ(decide(evidence).verdict, Verdict::layout_like);
    evidence.placebos = {around(0.003, 0.001),  around(-0.002, 0.001), around(0.001, 0.001),
                         around(-0.003, 0.001), around(0.002, 0.001),  around(-0.001, 0.001)};
    EXPECT_EQ(decide(evidence).verdict, Verdict::slower);
}

TEST(Decide, SignificantEffectThatIsNotClearOfTheReachIsLayoutLike) {
    Evidence evidence = clear(0.02);
    evidence.fixed_images = true;
    evidence.placebos = {around(0.001, 0.018), around(-0.001, 0.018), around(0.001, 0.018)};
    EXPECT_EQ(decide(evidence).verdict, Verdict::layout_like);  // 1.85 % is below 1.9 %
    evidence.placebos.front().interval95 = {-infinite, infinite};
    EXPECT_EQ(decide(evidence).verdict, Verdict::layout_like);
}

TEST(PlaceboReach, IsThePredictionIntervalOfOneMoreLayout) {
    const Interval one = placebo_reach(std::vector{around(0.01, 0)});
    EXPECT_NEAR(one.low, 0.005 - 12.7062 * 0.01 * 0.866025, 1e-6);
    EXPECT_NEAR(one.high, 0.005 + 12.7062 * 0.01 * 0.866025, 1e-6);
    // 0, +1, -1 %: mean 0, standard deviation 1 %, t(2) = 4.3027, times the root of 1 + 1/3.
    const Interval two = placebo_reach(std::vector{around(0.01, 0), around(-0.01, 0)});
    EXPECT_NEAR(two.high, 4.30265 * 0.01 * 1.154701, 1e-6);
    EXPECT_NEAR(two.low, -two.high, 1e-12);
}

TEST(Holm, EqualsPublishedExamples) {
    EXPECT_THAT(holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
                ElementsAre(DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12),
                            DoubleNear(0.06, 1e-12), DoubleNear(0.02, 1e-12)));
    EXPECT_THAT(
        holm(std::vector<double>{0.01, 0.02, 0.03, 0.04, 0.05}),
        ElementsAre(DoubleNear(0.05, 1e-12), DoubleNear(0.08, 1e-12), DoubleNear(0.09, 1e-12),
                    DoubleNear(0.09, 1e-12), DoubleNear(0.09, 1e-12)));
    EXPECT_THAT(holm(std::vector<double>{0.7, 0.8}), ElementsAre(1, 1));
    EXPECT_THAT(holm(std::vector<double>{0.02}), ElementsAre(0.02));
    EXPECT_TRUE(holm({}).empty());
}

TEST(VerdictNames, GoBothWays) {
    for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::equivalent,
                                  Verdict::layout_like, Verdict::undecided, Verdict::untrusted}) {
        EXPECT_EQ(verdict_from_name(name(verdict)), verdict);
    }
    EXPECT_EQ(name(Verdict::layout_like), "layout-like");
    EXPECT_FALSE(verdict_from_name("better").has_value());
}

}  // namespace
}  // namespace kerntoll::lab::stats
