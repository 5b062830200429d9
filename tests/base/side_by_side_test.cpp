// SPDX-License-Identifier: MIT
#include "lab/base/side_by_side.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "lab/base/cpus.hpp"

namespace kerntoll::lab {
namespace {

TEST(SideBySide, DoesEveryJobOnceBeforeItReturns) {
    std::vector<std::atomic<int>> done(100);
    std::vector<std::function<void()>> jobs;
    for (std::atomic<int>& each : done) {
        jobs.emplace_back([&each] { ++each; });
    }
    side_by_side(jobs);
    for (const std::atomic<int>& each : done) {
        EXPECT_EQ(each, 1);
    }
}

TEST(SideBySide, DoesNoMoreAtATimeThanThereAreCpus) {
    const auto cpus = usable_cpus();
    ASSERT_TRUE(cpus);
    std::atomic<std::size_t> running = 0;
    std::atomic<std::size_t> most = 0;
    const auto job = [&] {
        const std::size_t now = ++running;
        std::size_t before = most;
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
        --running;
    };
    side_by_side(std::vector<std::function<void()>>(1000, job));
    EXPECT_GE(most, 1U);
    EXPECT_LE(most, cpus->size());
}

TEST(SideBySide, HasNothingToDoWithoutJobs) {
    side_by_side({});
}

}  // namespace
}  // namespace kerntoll::lab
