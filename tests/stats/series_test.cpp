// SPDX-License-Identifier: MIT
#include "lab/stats/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Series, ReplicatesCountOnlyWhenComplete) {
    Series series(2, 1);
    series.add(0, 0, 0, 100);
    series.add(0, 1, 0, 110);
    EXPECT_EQ(series.replicates(), 0U);
    EXPECT_THAT(series.effects(1, 0), IsEmpty());
    series.complete(0);
    EXPECT_EQ(series.replicates(), 1U);
    EXPECT_THAT(series.effects(1, 0), ElementsAre(DoubleNear(std::log(1.1), 1e-12)));
}

TEST(Series, KeepsArmsAndWorkloadsApart) {
    Series series(3, 2);
    for (std::uint32_t workload = 0; workload < 2; ++workload) {
        for (std::uint32_t arm = 0; arm < 3; ++arm) {
            series.add(5, arm, workload, 100.0 * (workload + 1) * (arm + 1));
        }
    }
    series.complete(5);
    EXPECT_THAT(series.times(0, 0), ElementsAre(100));
    EXPECT_THAT(series.times(2, 0), ElementsAre(300));
    EXPECT_THAT(series.times(0, 1), ElementsAre(200));
    EXPECT_THAT(series.times(2, 1), ElementsAre(600));
    EXPECT_THAT(series.effects(0, 1), ElementsAre(0));
    EXPECT_THAT(series.effects(1, 1), ElementsAre(DoubleNear(std::log(2.0), 1e-12)));
    EXPECT_THAT(series.effects(2, 1), ElementsAre(DoubleNear(std::log(3.0), 1e-12)));
}

TEST(Series, PairsTheBlocksOfAReplicate) {
    Series series(2, 1);
    // The machine gets slower from block to block; the pairs do not see it.
    for (const double speed : {100.0, 120.0, 150.0}) {
        series.add(0, 1, 0, speed * 1.02);
        series.add(0, 0, 0, speed);
    }
    series.complete(0);
    EXPECT_THAT(series.effects(1, 0), ElementsAre(DoubleNear(std::log(1.02), 1e-12)));
    EXPECT_THAT(series.times(0, 0), ElementsAre(110)) << "the lower quartile";
    const auto differences = series.differences(1, 0);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_THAT(differences[0], testing::Each(DoubleNear(std::log(1.02), 1e-12)));
    EXPECT_EQ(differences[0].size(), 3U);
}

TEST(Series, ReplicatesOverlapAndKeepTheOrderOfCompletion) {
    Series series(2, 1);
    for (const std::uint32_t replicate : {0U, 1U, 2U}) {
        series.add(replicate, 0, 0, 100);
        series.add(replicate, 1, 0, 100.0 + replicate);
    }
    series.complete(2);
    series.complete(0);
    EXPECT_EQ(series.replicates(), 2U);
    EXPECT_THAT(series.times(1, 0), ElementsAre(102, 100));
}

TEST(Series, ReplicateWithAMissingArmIsLeftOutForThatArm) {
    Series series(3, 1);
    series.add(0, 0, 0, 100);
    series.add(0, 2, 0, 120);
    series.complete(0);
    series.add(1, 1, 0, 100);
    series.complete(1);
    EXPECT_THAT(series.effects(1, 0), IsEmpty());
    EXPECT_EQ(series.effects(2, 0).size(), 1U);
    EXPECT_THAT(series.times(1, 0), ElementsAre(100));
    // One block more on one side (it failed in mid-block): the pairs that exist count.
    series.add(2, 0, 0, 100);
    series.add(2, 0, 0, 100);
    series.add(2, 1, 0, 110);
    series.complete(2);
    EXPECT_EQ(series.differences(1, 0).back().size(), 1U);
}

TEST(Series, MillionBatchesAreCheapToAddAndToLookAt) {
    Series series(3, 1);
    constexpr std::uint32_t replicates = 20000;
    const auto start = std::chrono::steady_clock::now();
    std::size_t looks = 0;
    for (std::uint32_t replicate = 0; replicate < replicates; ++replicate) {
        for (int block = 0; block < 16; ++block) {
            for (std::uint32_t arm = 0; arm < 3; ++arm) {
                series.add(replicate, arm, 0, 100 + (replicate * 7 + arm * 3) % 11);
            }
        }
        series.complete(replicate);
        if (replicate % 200 == 199) {
            looks += estimate(series.effects(2, 0)).replicates > 0 ? 1 : 0;
        }
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(looks, 100U);
    // Thousands of times slower if looking or completing were not incremental; generous for
    // sanitizers on a busy machine.
    EXPECT_LT(spent.count(), 30);
}

}  // namespace
}  // namespace kerntoll::lab::stats
