// SPDX-License-Identifier: MIT
#include "lab/experiment/experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lab/base/interrupt.hpp"
#include "lab/base/random.hpp"
#include "tests/experiment/fakes.hpp"

namespace kerntoll::lab::experiment {
namespace {

using store::Role;
using test::Behaviour;
using test::FakeSink;
using test::FakeTarget;
using test::World;

class ExperimentTest : public testing::Test {
protected:
    void arms(std::vector<Behaviour> behaviours) {
        auto base = std::make_shared<FakeTarget>(world, behaviours.at(0));
        std::vector<std::shared_ptr<Target>> changes;
        for (std::size_t index = 1; index < behaviours.size(); ++index) {
            changes.push_back(std::make_shared<FakeTarget>(world, behaviours[index]));
        }
        plan.arms = arrange(base, changes, {});
    }

    Result<Outcome> run() {
        plan.now = [this] { return std::chrono::nanoseconds(world.now_ns); };
        series.emplace(plan.arms.size(), plan.record.workloads.size());
        return run_experiment(plan, *series, sink, {});
    }

    void SetUp() override {
        plan.record.workloads = {"getpid"};
        plan.record.seed = 7;
        plan.record.blocks = 3;
        plan.record.batch_seconds = 1e-4;
        plan.record.most_replicates = 8;
        plan.record.max_seconds = 1e9;
    }

    World world;
    Plan plan;
    FakeSink sink;
    std::optional<stats::Series> series;
};

/// Time per op that differs from replicate to replicate by about `spread`, the same for every seed.
Behaviour noisy(double ns, double spread) {
    Behaviour behaviour;
    behaviour.ns_per_op = [=](const Launch& how) {
        Random random(99, how.replicate, how.arm);
        const double uniform = static_cast<double>(random.below(2001)) / 1000 - 1;
        return ns * (1 + spread * uniform);
    };
    return behaviour;
}

TEST_F(ExperimentTest, ArrangesBaseControlChangesPlacebosInThisOrder) {
    auto target = std::make_shared<FakeTarget>(world, Behaviour{});
    const auto arranged = arrange(target, {target, target}, {target});
    std::vector<Role> roles;
    for (const auto& arm : arranged) {
        roles.push_back(arm.role);
    }
    EXPECT_THAT(roles, testing::ElementsAre(Role::base, Role::control, Role::change, Role::change,
                                            Role::placebo));
}

TEST_F(ExperimentTest, AbsoluteFiguresNeedNoControl) {
    auto target = std::make_shared<FakeTarget>(world, Behaviour{});
    EXPECT_EQ(arrange(target, {}, {}).size(), 1U);
}

TEST_F(ExperimentTest, EveryBlockHasOneBatchOfEveryArmAndWorkload) {
    arms({{}, {}});
    plan.record.workloads = {"getpid", "mix"};
    ASSERT_TRUE(run());
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::multiset<std::uint32_t>>
        blocks;
    for (const auto& batch : sink.batches) {
        blocks[{batch.replicate, batch.block, batch.workload}].insert(batch.arm);
    }
    EXPECT_EQ(blocks.size(), 8U * 3U * 2U);
    for (const auto& [where, members] : blocks) {
        EXPECT_THAT(members, testing::ElementsAre(0U, 1U, 2U));
    }
}

TEST_F(ExperimentTest, StartingOrderAndOrderWithinABlockAreDrawnAtRandom) {
    arms({{}, {}});
    plan.record.most_replicates = 40;
    plan.record.least_replicates = 41;
    ASSERT_TRUE(run());
    std::set<std::uint32_t> first_launched;
    for (std::size_t index = 0; index < world.launches.size(); index += 3) {
        first_launched.insert(world.launches[index]);
    }
    EXPECT_EQ(first_launched.size(), 3U);
    std::map<std::uint32_t, int> first_in_block;
    for (const auto& batch : sink.batches) {
        first_in_block[batch.arm] += batch.position == 0 ? 1 : 0;
    }
    for (const auto& [arm, times] : first_in_block) {
        EXPECT_GT(times, 20) << "arm " << arm << " of 120 blocks";
        EXPECT_LT(times, 60) << "arm " << arm << " of 120 blocks";
    }
}

TEST_F(ExperimentTest, TheSameSeedRepeatsEveryOrderAndAnotherDoesNot) {
    const auto orders = [&](std::uint64_t seed) {
        plan.record.seed = seed;
        sink.batches.clear();
        world = {};
        arms({{}, {}});
        EXPECT_TRUE(run());
        std::vector<std::uint32_t> order = world.launches;
        for (const auto& batch : sink.batches) {
            order.push_back(batch.arm);
        }
        return order;
    };
    const auto first = orders(7);
    EXPECT_EQ(first, orders(7));
    EXPECT_NE(first, orders(8));
}

TEST_F(ExperimentTest, OnlyOneMachineRunsDuringABatch) {
    arms({{}, {}, {}});
    ASSERT_TRUE(run());
    EXPECT_EQ(world.most_running, 1);
    EXPECT_EQ(world.alive, 0);
}

TEST_F(ExperimentTest, AllArmsRunTheLargestCalibratedBatch) {
    Behaviour slow;
    slow.calibrated = 500;
    Behaviour quick;
    quick.calibrated = 4000;
    arms({slow, quick});
    plan.record.batch_seconds = 1e-9;
    ASSERT_TRUE(run());
    for (const auto& batch : sink.batches) {
        EXPECT_EQ(batch.sample.ops, 4000U);
    }
}

TEST_F(ExperimentTest, BatchesThatTurnOutTooShortGrowInTheNextReplicate) {
    arms({{}, {}});
    plan.record.batch_seconds = 1e-3;  // 1000 ops of 100 ns are a tenth of that
    plan.record.most_replicates = 2;
    ASSERT_TRUE(run());
    EXPECT_EQ(sink.batches.front().sample.ops, 1000U);
    EXPECT_EQ(sink.batches.back().sample.ops, 10000U);
}

TEST_F(ExperimentTest, StopsOnPrecisionButNotBeforeTheLeastNumberOfReplicates) {
    arms({noisy(100, 1e-6), noisy(103, 1e-6)});
    plan.record.most_replicates = 0;
    plan.record.least_replicates = 20;
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_GE(outcome->replicates, 20U);
    EXPECT_LE(outcome->replicates, 40U) << "some more where the replicates look correlated";
    EXPECT_EQ(outcome->state, store::RunState::finished);
    EXPECT_THAT(outcome->why, testing::HasSubstr("precision"));
}

TEST_F(ExperimentTest, AnObviousEffectAloneDoesNotStopIt) {
    arms({noisy(100, 0.05), noisy(200, 0.05)});  // +100 %, half-width far above the precision
    plan.record.most_replicates = 60;
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->replicates, 60U);
}

TEST_F(ExperimentTest, StopsWhenTheTimeIsOut) {
    arms({noisy(100, 0.05), noisy(100, 0.05)});
    plan.record.most_replicates = 0;
    world.boot_ns = 1'000'000'000;
    plan.record.max_seconds = 31;  // a replicate of three boots takes a little over 3 s
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->replicates, 10U);
    EXPECT_THAT(outcome->why, testing::HasSubstr("time"));
}

TEST_F(ExperimentTest, AFailedReplicateIsReportedAndReplaced) {
    Behaviour flaky;
    flaky.batch = [](const Launch& how) -> Result<void> {
        if (how.replicate == 3) {
            return std::unexpected(Error{Fault::measurement, "QEMU was killed", {"Oops"}});
        }
        return {};
    };
    arms({{}, flaky});
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->replicates, 8U);
    EXPECT_THAT(sink.done, testing::ElementsAre(0U, 1U, 2U, 4U, 5U, 6U, 7U, 8U));
    std::vector<store::EventRecord> faults;
    std::ranges::copy_if(sink.events, std::back_inserter(faults),
                         [](const auto& event) { return event.kind == "fault"; });
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].replicate, 3U);
    EXPECT_EQ(faults[0].arm, 2U);
    EXPECT_EQ(faults[0].text, "QEMU was killed");
    EXPECT_THAT(faults[0].console, testing::ElementsAre("Oops"));
    EXPECT_EQ(series->effects(2, 0).size(), 8U);
    EXPECT_EQ(world.alive, 0);
}

TEST_F(ExperimentTest, AMachineThatAlwaysFailsEndsItWithThatMachinesWords) {
    Behaviour broken;
    broken.boot = [](const Launch&) -> Result<void> {
        return fail(Fault::measurement, "the kernel panicked");
    };
    arms({{}, broken});
    const auto outcome = run();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().message, "the kernel panicked");
    EXPECT_EQ(world.launches.size(), 9U) << "three attempts of three machines";
    EXPECT_EQ(sink.finished, store::RunState::failed);
    EXPECT_EQ(world.alive, 0);
}

TEST_F(ExperimentTest, TimeThatWentByWithNothingButFailuresIsNoMeasurement) {
    Behaviour hanging;
    hanging.boot = [](const Launch&) -> Result<void> {
        return fail(Fault::measurement, "no answer from the agent");
    };
    arms({{}, hanging});
    plan.record.max_seconds = 1;
    world.boot_ns = 2'000'000'000;
    const auto outcome = run();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().message, "no answer from the agent");
    EXPECT_EQ(sink.finished, store::RunState::failed);
}

TEST_F(ExperimentTest, WhatCannotHealIsNotTriedAgain) {
    Behaviour refused;
    refused.boot = [](const Launch&) -> Result<void> {
        return fail(Fault::environment, "this kernel has no seccomp filters");
    };
    arms({{}, refused});
    ASSERT_FALSE(run());
    EXPECT_EQ(world.launches.size(), 3U);
}

TEST_F(ExperimentTest, InterruptionKeepsEverythingMeasuredAndSaysSo) {
    Behaviour interrupted;
    interrupted.batch = [](const Launch& how) -> Result<void> {
        if (how.replicate == 5) {
            return fail(Fault::interrupted, "interrupted by SIGINT");
        }
        return {};
    };
    arms({interrupted, {}});
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->state, store::RunState::interrupted);
    EXPECT_EQ(outcome->replicates, 5U);
    EXPECT_EQ(sink.finished, store::RunState::interrupted);
    EXPECT_GE(sink.batches.size(), 5U * 3U * 3U);
    EXPECT_EQ(world.alive, 0);
}

TEST_F(ExperimentTest, InterruptionIsSeenAlsoWhereNoMachineIsWaitedFor) {
    Behaviour asks;
    asks.batch = [](const Launch& how) -> Result<void> {
        if (how.replicate == 2) {
            request_interrupt();
        }
        return {};
    };
    arms({asks, {}});
    const auto outcome = run();
    clear_interrupt();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->state, store::RunState::interrupted);
    EXPECT_EQ(outcome->replicates, 3U);
    EXPECT_EQ(sink.finished, store::RunState::interrupted);
}

TEST_F(ExperimentTest, AFullStoreEndsItAtOnce) {
    arms({{}, {}});
    sink.room = 20;
    const auto outcome = run();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().fault, Fault::store);
    EXPECT_EQ(sink.batches.size(), 20U);
    EXPECT_EQ(world.alive, 0);
}

TEST_F(ExperimentTest, ABatchThatTookNoTimeIsAFault) {
    Behaviour stuck;
    stuck.ns_per_op = [](const Launch& how) { return how.replicate == 0 ? 0.0 : 100.0; };
    arms({{}, stuck});
    ASSERT_TRUE(run());
    const auto fault = std::ranges::find(sink.events, "fault", &store::EventRecord::kind);
    ASSERT_NE(fault, sink.events.end());
    EXPECT_THAT(fault->text, testing::HasSubstr("took no time"));
    EXPECT_EQ(sink.done.front(), 1U);
}

TEST_F(ExperimentTest, AResumedRunGoesOnWhereItStood) {
    arms({{}, {}});
    plan.first_replicate = 5;
    plan.seconds_before = 100;
    plan.record.max_seconds = 100.5;
    plan.record.most_replicates = 0;
    world.boot_ns = 100'000'000;
    const auto outcome = run();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(sink.done.front(), 5U);
    EXPECT_GT(outcome->seconds, 100);
    EXPECT_LE(outcome->replicates, 2U);
}

TEST_F(ExperimentTest, EveryArmIsProvedToEnterTheKernelOnce) {
    arms({{}, {}});
    ASSERT_TRUE(run());
    EXPECT_EQ(std::ranges::count(sink.events, "proof", &store::EventRecord::kind), 3);
}

}  // namespace
}  // namespace kerntoll::lab::experiment
