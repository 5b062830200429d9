// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/doctor/evidence.hpp"
#include "tests/experiment/fakes.hpp"

namespace kerntoll::lab::doctor {
namespace {

using std::chrono::milliseconds;

Result<NoiseFloor> noise_of(test::World& world, test::Behaviour behaviour) {
    behaviour.calibrated = 10'000;
    test::FakeTarget target(world, std::move(behaviour));
    return measure_noise(target, milliseconds(100), -1);
}

TEST(NoiseFloor, OfASteadyMachineIsNone) {
    test::World world;
    const auto noise = noise_of(world, {});
    ASSERT_TRUE(noise) << noise.error().message;
    EXPECT_DOUBLE_EQ(noise->ns_per_op, 100);
    EXPECT_EQ(noise->within, 0);
    EXPECT_EQ(noise->between, 0);
    EXPECT_EQ(world.launches.size(), noise->processes);
}

TEST(NoiseFloor, TellsScatterInsideAProcessFromScatterBetweenProcesses) {
    test::World world;
    int batch = 0;
    // ±1 around 100 in turn: the median absolute deviation is 1 %.
    const auto within = noise_of(
        world, {.ns_per_op = [&batch](const Launch&) { return ++batch % 2 == 0 ? 99.0 : 101.0; }});
    ASSERT_TRUE(within);
    EXPECT_NEAR(within->within, 0.0148, 0.001);
    EXPECT_LT(within->between, 0.011);
    // 98, 99, 100, 101, 102 for the five processes.
    const auto between =
        noise_of(world, {.ns_per_op = [](const Launch& how) { return 98.0 + how.replicate; }});
    ASSERT_TRUE(between);
    EXPECT_EQ(between->within, 0);
    EXPECT_NEAR(between->between, 0.0148, 0.001);
}

TEST(NoiseFloor, IsMeasuredForAboutTheTimeGiven) {
    test::World world;
    ASSERT_TRUE(noise_of(world, {}));
    const std::uint64_t measured = world.now_ns - world.launches.size() * world.boot_ns;
    EXPECT_GE(measured, 100'000'000U);
    EXPECT_LE(measured, 110'000'000U);
}

TEST(NoiseFloor, KeepsToTheGivenCpu) {
    test::World world;
    std::vector<int> cpus;
    test::FakeTarget target(world, {.boot = [&cpus](const Launch& how) {
                                cpus.push_back(how.cpu);
                                return Result<void>{};
                            }});
    ASSERT_TRUE(measure_noise(target, milliseconds(1), 3));
    EXPECT_THAT(cpus, testing::Each(3));
}

TEST(NoiseFloor, PassesOnWhyATargetFailed) {
    test::World world;
    const auto refuse = [](const Launch&) { return fail(Fault::measurement, "it died"); };
    const auto boot = noise_of(world, {.boot = refuse});
    const auto batch = noise_of(world, {.batch = refuse});
    ASSERT_FALSE(boot);
    ASSERT_FALSE(batch);
    EXPECT_EQ(boot.error().message, "it died");
    EXPECT_EQ(batch.error().message, "it died");
    EXPECT_EQ(world.alive, 0);
}

TEST(NoiseFloor, GivesUpOnAClockThatStandsStill) {
    test::World world;
    const auto noise = noise_of(world, {.ns_per_op = [](const Launch&) { return 0.0; }});
    ASSERT_FALSE(noise);
    EXPECT_THAT(noise.error().message, testing::HasSubstr("clock"));
}

}  // namespace
}  // namespace kerntoll::lab::doctor
