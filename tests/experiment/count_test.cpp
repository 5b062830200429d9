// SPDX-License-Identifier: MIT
// Counting on machines whose clock is the number of instructions executed, as under -icount: with
// timer interrupts, counters of all the architectures' resolutions, and paths that vary.
#include "lab/experiment/count.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kerntoll::lab::experiment {
namespace {

using testing::HasSubstr;

/// What the machine under test is like.
struct Guest {
    double call = 214;         ///< instructions per op, loop included
    double loop = 4;           ///< of which the loop's
    double per_batch = 731;    ///< beside the ops
    double tick_ns = 1;        ///< of the counter
    double timer_every = 4e6;  ///< instructions between timer interrupts
    double timer_cost = 2900;  ///< instructions of one
    double varies = 0;         ///< an op takes up to this many instructions more
    bool has_counter = true;
    unsigned calls_per_op = 1;
    unsigned uncounted_per_call = 0;  ///< of what the counter leaves out
    bool steps = false;               ///< counts instructions one by one
    int fails_after = -1;             ///< batches; -1: never
    unsigned seed = 1;
};

class CountingMachine final : public Machine {
public:
    explicit CountingMachine(const Guest& guest) : guest_(guest), random_(guest.seed) {
        identity_.counter_hz =
            guest.has_counter ? static_cast<std::uint64_t>(std::llround(1e9 / guest.tick_ns)) : 0;
        identity_.workloads = {{"getpid", guest.calls_per_op}};
        identity_.uncounted_per_call = guest.uncounted_per_call;
    }
    Result<void> wait_ready() override { return {}; }
    [[nodiscard]] const Identity& identity() const override { return identity_; }
    Result<std::uint64_t> calibrate(const Work&, std::chrono::nanoseconds) override {
        return fail(Fault::measurement, "counting needs no calibration");
    }
    Result<Sample> run(const Work& work, std::uint64_t ops) override {
        if (guest_.fails_after >= 0 && batches_++ == guest_.fails_after) {
            return fail(Fault::measurement, "died");
        }
        // The guest waited for the request: anything may have happened meanwhile.
        now_ += std::floor(std::uniform_real_distribution<>(0, 1e7)(random_));
        ops_ += ops;
        const double begin = now_;
        now_ += guest_.per_batch;
        const double op = work.hollow ? guest_.loop : guest_.call;
        double length = op * static_cast<double>(ops);
        if (!work.hollow && guest_.varies > 0) {
            length += std::floor(std::uniform_real_distribution<>(0, guest_.varies)(random_) *
                                 static_cast<double>(ops));
        }
        now_ += length;
        if (guest_.steps) {
            Sample counted{.ops = ops, .elapsed_ns = 7, .ticks = 7, .counters = {}};
            counted.counters.instructions = static_cast<std::uint64_t>(guest_.per_batch + length);
            return counted;
        }
        const double interrupts =
            std::floor(now_ / guest_.timer_every) - std::floor(begin / guest_.timer_every);
        now_ += interrupts * guest_.timer_cost;
        Sample sample;
        sample.ops = ops;
        if (guest_.has_counter) {
            sample.ticks = static_cast<std::uint64_t>(std::floor(now_ / guest_.tick_ns) -
                                                      std::floor(begin / guest_.tick_ns));
            sample.elapsed_ns = 1;  // must not be used
        } else {
            sample.elapsed_ns = static_cast<std::uint64_t>(now_ - begin);
        }
        return sample;
    }
    Result<std::string> prove(const Work&) override { return ""; }
    Result<void> pause() override { return {}; }
    Result<void> go_on() override { return {}; }
    [[nodiscard]] std::vector<std::string> console_tail() const override { return {}; }

    static inline std::uint64_t ops_ = 0;  ///< run by all machines so far

private:
    Guest guest_;
    std::mt19937_64 random_;
    Identity identity_;
    double now_ = 0;
    int batches_ = 0;
};

class CountingTarget final : public Target {
public:
    explicit CountingTarget(const Guest& guest) : guest_(guest) { spec_.text = "counting"; }
    [[nodiscard]] const TargetSpec& spec() const override { return spec_; }
    [[nodiscard]] Grade grade() const override { return Grade::emulated; }
    [[nodiscard]] Scope scope() const override { return Scope::images; }
    [[nodiscard]] bool can_count() const override { return countable; }
    [[nodiscard]] std::string layout_key() const override { return ""; }
    [[nodiscard]] Provenance provenance() const override { return {}; }
    [[nodiscard]] std::vector<std::string> remarks() const override { return {}; }
    Result<std::unique_ptr<Machine>> launch(const Launch& how) override {
        launches.push_back(how);
        return std::make_unique<CountingMachine>(guest_);
    }

    bool countable = true;
    std::vector<Launch> launches;

private:
    Guest guest_;
    TargetSpec spec_;
};

Count counted(const Guest& guest) {
    CountingTarget target(guest);
    const auto counts = count_instructions(target, {"getpid"});
    EXPECT_TRUE(counts) << counts.error().message;
    return counts ? counts->front() : Count{};
}

struct Counter {
    const char* name;
    double tick_ns;
};

class EveryCounter : public testing::TestWithParam<Counter> {};

TEST_P(EveryCounter, CountsExactlyAndTheSameEveryTime) {
    // From a bare call to a path of thousands of instructions, with slow and fast timers.
    for (const double call : {5.0, 214.0, 1387.0, 4866.0, 6750.0}) {
        for (const double timer_every : {4e6, 1e7}) {
            for (unsigned seed = 1; seed <= 25; ++seed) {
                const auto count = counted({.call = call,
                                            .tick_ns = GetParam().tick_ns,
                                            .timer_every = timer_every,
                                            .seed = seed});
                ASSERT_EQ(count.instructions_per_op, call) << "seed " << seed;
                ASSERT_EQ(count.loop_instructions, 4) << "seed " << seed;
                ASSERT_TRUE(count.exact) << "seed " << seed;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Counters, EveryCounter,
                         testing::Values(Counter{"x86_64", 1}, Counter{"arm64", 16},
                                         Counter{"riscv64", 100}, Counter{"s390x", 1000.0 / 4096},
                                         Counter{"loongarch64", 10}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(Count, AFastTimerDisturbsNothing) {
    for (unsigned seed = 1; seed <= 25; ++seed) {
        const auto count = counted({.timer_every = 1e6, .timer_cost = 9000, .seed = seed});
        ASSERT_EQ(count.instructions_per_op, 214);
        ASSERT_TRUE(count.exact);
    }
}

TEST(Count, APathThatVariesHasNoExactCount) {
    for (unsigned seed = 1; seed <= 25; ++seed) {
        const auto count = counted({.varies = 40, .seed = seed});
        ASSERT_FALSE(count.exact);
        ASSERT_GT(count.instructions_per_op, 180);
        ASSERT_LT(count.instructions_per_op, 280);
    }
}

TEST(Count, ADifferenceOfOneInstructionIsSeen) {
    EXPECT_EQ(counted({.call = 215, .tick_ns = 100}).instructions_per_op -
                  counted({.call = 214, .tick_ns = 100}).instructions_per_op,
              1);
}

TEST(Count, WhatTheCounterLeavesOutOfEachCallIsAdded) {
    const auto count =
        counted({.call = 812, .loop = 14, .calls_per_op = 5, .uncounted_per_call = 1});
    EXPECT_EQ(count.instructions_per_op, 817);
    EXPECT_EQ(count.loop_instructions, 14);
    EXPECT_TRUE(count.exact);
}

TEST(Count, WithoutACounterTheClockCounts) {
    const auto count = counted({.has_counter = false});
    EXPECT_EQ(count.instructions_per_op, 214);
    EXPECT_TRUE(count.exact);
}

TEST(Count, WhereInstructionsAreCountedOneByOneAFewOpsDo) {
    for (const double call : {5.0, 214.0, 6750.0}) {
        CountingMachine::ops_ = 0;
        const auto count = counted({.call = call, .steps = true});
        EXPECT_EQ(count.instructions_per_op, call);
        EXPECT_EQ(count.loop_instructions, 4);
        EXPECT_TRUE(count.exact);
        EXPECT_LT(CountingMachine::ops_, 200U);
    }
}

TEST(Count, OneByOneAPathThatVariesHasNoExactCountEither) {
    for (unsigned seed = 1; seed <= 25; ++seed) {
        const auto count = counted({.varies = 40, .steps = true, .seed = seed});
        ASSERT_FALSE(count.exact);
        ASSERT_GT(count.instructions_per_op, 130);
        ASSERT_LT(count.instructions_per_op, 300);
    }
}

TEST(Count, AllWorkloadsAreCountedInOneCountingBoot) {
    CountingTarget target({});
    const auto counts = count_instructions(target, {"getpid", "mix", "close"});
    ASSERT_TRUE(counts);
    ASSERT_EQ(counts->size(), 3U);
    EXPECT_EQ((*counts)[1].workload, "mix");
    ASSERT_EQ(target.launches.size(), 1U);
    EXPECT_TRUE(target.launches[0].count);
}

TEST(Count, WhatCannotCountIsAUsageError) {
    CountingTarget target({});
    target.countable = false;
    const auto counts = count_instructions(target, {"getpid"});
    ASSERT_FALSE(counts);
    EXPECT_EQ(counts.error().fault, Fault::usage);
    EXPECT_THAT(counts.error().message, HasSubstr("'counting' cannot be counted"));
    EXPECT_TRUE(target.launches.empty());
}

TEST(Count, AMachineThatDiesIsTold) {
    for (const int batches : {0, 1, 2, 30, 50, 80}) {
        CountingTarget target({.fails_after = batches});
        const auto counts = count_instructions(target, {"getpid"});
        ASSERT_FALSE(counts);
        EXPECT_EQ(counts.error().message, "died");
    }
    for (const int batches : {0, 1, 2, 10, 17}) {
        CountingTarget target({.steps = true, .fails_after = batches});
        ASSERT_EQ(count_instructions(target, {"getpid"}).error().message, "died");
    }
}

}  // namespace
}  // namespace kerntoll::lab::experiment
