// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lab/stats/stats.hpp"
#include "tests/stats/draws.hpp"

namespace kerntoll::lab::stats {
namespace {

TEST(Modes, TwoLayoutsAreFoundWithTheirCentres) {
    Random random(11);
    std::vector<double> times;
    for (int i = 0; i < 40; ++i) {
        times.push_back((i % 4 == 0 ? 127 : 103) * (1 + 0.005 * gauss(random)));
    }
    const std::vector<Mode> found = modes(times);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NEAR(found[0].centre, 103, 0.5);
    EXPECT_EQ(found[0].members, 30U);
    EXPECT_NEAR(found[1].centre, 127, 0.5);
    EXPECT_EQ(found[1].members, 10U);
}

TEST(Modes, ThreeLayoutsAreFound) {
    Random random(12);
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
        times.push_back((100 + 10 * (i % 3)) * (1 + 0.004 * gauss(random)));
    }
    EXPECT_EQ(modes(times).size(), 3U);
}

TEST(Modes, AStrayReplicateInsideTheGapDoesNotHideThem) {
    Random random(13);
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
        times.push_back((i % 2 == 0 ? 100 : 120) * (1 + 0.004 * gauss(random)));
    }
    times.push_back(110);
    times.push_back(250);
    EXPECT_EQ(modes(times).size(), 2U);
}

TEST(Modes, ExactTimesOfTwoKindsAreTwo) {
    std::vector<double> times(12, 100.0);
    times.insert(times.end(), 12, 110.0);
    EXPECT_EQ(modes(times).size(), 2U);
    // A clock's step of a tenth of a percent is not a layout.
    std::vector<double> quantised(12, 100.0);
    quantised.insert(quantised.end(), 12, 100.1);
    EXPECT_TRUE(modes(quantised).empty());
}

TEST(Modes, FewReplicatesHaveNone) {
    EXPECT_TRUE(modes({}).empty());
    EXPECT_TRUE(modes(std::vector<double>{100}).empty());
    EXPECT_TRUE(modes(std::vector<double>{100, 100, 100, 150, 150, 150}).empty());
}

TEST(Modes, AreNotInventedInOneHeap) {
    Random random(14);
    double walk = 0;
    int step = 0;
    const std::vector<std::pair<std::string, std::function<double()>>> heaps{
        {"gauss", [&] { return std::exp(0.05 * gauss(random)); }},
        {"uniform", [&] { return 1 + 0.2 * uniform(random); }},
        {"exponential", [&] { return 1 - 0.1 * std::log(uniform(random)); }},
        {"lognormal", [&] { return 1 + 0.05 * std::exp(gauss(random)); }},
        {"wide lognormal", [&] { return std::exp(std::exp(gauss(random))); }},
        {"cauchy", [&] { return std::exp(0.02 * gauss(random) / gauss(random)); }},
        {"drift", [&] { return 1 + 0.001 * ++step + 0.001 * gauss(random); }},
        {"walk", [&] { return std::exp(walk += 0.01 * gauss(random)); }},
    };
    for (const auto& [shape, draw] : heaps) {
        constexpr int trials = 1000;
        int invented = 0;
        for (int trial = 0; trial < trials; ++trial) {
            walk = 0;
            step = 0;
            const std::size_t count = 20 + random.below(80);
            invented += modes(draws(count, draw)).empty() ? 0 : 1;
        }
        EXPECT_LE(invented, trials / 100) << shape;
    }
}

}  // namespace
}  // namespace kerntoll::lab::stats
