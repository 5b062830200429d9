// SPDX-License-Identifier: MIT
#include "lab/target/sim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "lab/target/sim_options.hpp"
#include "lab/target/sim_world.hpp"

namespace kerntoll::lab {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Target> target(const std::string& text) {
    auto opened = open_target(text);
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return *std::move(opened);
}

std::unique_ptr<Machine> machine(Target& of, const Launch& how) {
    auto launched = of.launch(how);
    EXPECT_TRUE(launched.has_value()) << launched.error().message;
    EXPECT_TRUE((*launched)->wait_ready().has_value());
    return *std::move(launched);
}

/// ns per op of one batch.
double measure(Machine& of, std::uint64_t ops = 1'000'000, const std::string& workload = "getpid") {
    const auto sample = of.run({workload}, ops);
    EXPECT_TRUE(sample.has_value()) << sample.error().message;
    return static_cast<double>(sample->elapsed_ns) / static_cast<double>(sample->ops);
}

/// Log of the first batch's time over the true one, of so many replicates.
std::vector<double> layouts(const std::string& text, std::uint32_t count, std::uint32_t arm = 0) {
    const auto of = target(text);
    std::vector<double> values;
    for (std::uint32_t replicate = 0; replicate < count; ++replicate) {
        const auto one = machine(*of, {.seed = 9, .replicate = replicate, .arm = arm});
        values.push_back(std::log(measure(*one) / 100));
    }
    return values;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const std::size_t n = std::min(a.size(), b.size());
    const double mean_a = mean(a);
    const double mean_b = mean(b);
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / std::sqrt(aa * bb);
}

double deviation(const std::vector<double>& values) {
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values) {
        squares += (value - centre) * (value - centre);
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
}

double with_next(const std::vector<double>& values) {
    return correlation(values, {values.begin() + 1, values.end()});
}

TEST(Sim, TakesExactlyItsTrueTimeWhereNothingElseIsAsked) {
    const auto of = target("sim:ns=250");
    const auto one = machine(*of, {.seed = 1});
    EXPECT_EQ(measure(*one), 250);
    EXPECT_EQ(measure(*one, 1000, "mix"), 5 * 250);
    const auto ops = one->calibrate({"getpid"}, std::chrono::milliseconds(20));
    ASSERT_TRUE(ops.has_value());
    EXPECT_EQ(*ops, 80'000U);
    EXPECT_EQ(of->grade(), Grade::simulated);
    EXPECT_EQ(of->scope(), Scope::layouts);
    EXPECT_EQ(target("sim:scope=images")->scope(), Scope::images);
}

TEST(Sim, RepeatsFromItsSeedAndOnlyFromItsSeed) {
    const std::string text = "sim:ns=100,noise=1%,layout=1%";
    const auto of = target(text);
    const auto draw = [&](const Launch& how) { return measure(*machine(*of, how)); };
    const double first = draw({.seed = 1, .replicate = 2, .arm = 3});
    EXPECT_EQ(first, draw({.seed = 1, .replicate = 2, .arm = 3}));
    EXPECT_NE(first, draw({.seed = 2, .replicate = 2, .arm = 3}));
    EXPECT_NE(first, draw({.seed = 1, .replicate = 3, .arm = 3}));
    EXPECT_NE(first, draw({.seed = 1, .replicate = 2, .arm = 2}));
}

TEST(Sim, LayoutStaysWithItsMachineAndNoiseDoesNot) {
    const auto layout_only = target("sim:layout=1%");
    const auto one = machine(*layout_only, {.seed = 1});
    EXPECT_EQ(measure(*one), measure(*one));
    const auto noise_only = target("sim:noise=1%");
    const auto other = machine(*noise_only, {.seed = 1});
    EXPECT_NE(measure(*other), measure(*other));
}

TEST(Sim, SpreadsHaveTheirSizeAndShape) {
    const auto gauss = layouts("sim:layout=1%", 4000);
    EXPECT_NEAR(mean(gauss), 0, 0.0006);
    EXPECT_NEAR(deviation(gauss), std::log1p(0.01), 0.0004);
    const auto one_sided = layouts("sim:layout=lognormal:1%", 4000);
    EXPECT_GT(*std::ranges::max_element(one_sided), 0.05);
    EXPECT_GT(*std::ranges::min_element(one_sided), -0.006);
    auto heavy = layouts("sim:layout=cauchy:1%", 4000);
    std::ranges::sort(heavy);
    EXPECT_NEAR(heavy[3000] - heavy[1000], 2 * std::log1p(0.01), 0.0025);
    EXPECT_GT(heavy.back(), 0.5);
    EXPECT_LE(heavy.back(), 3.001);
}

TEST(Sim, SuccessiveLayoutsAreRelatedAsAsked) {
    EXPECT_NEAR(with_next(layouts("sim:layout=1%", 4000)), 0, 0.05);
    EXPECT_NEAR(with_next(layouts("sim:layout=1%,ar=0.5", 4000)), 0.5, 0.05);
    EXPECT_NEAR(with_next(layouts("sim:layout=1%,ar=-0.5", 4000)), -0.5, 0.05);
    EXPECT_NEAR(with_next(layouts("sim:layout=1%,hold=8", 4000)), 1 - 1.0 / 8, 0.05);
    EXPECT_NEAR(deviation(layouts("sim:layout=1%,ar=0.5", 4000)), std::log1p(0.01), 0.001);
    EXPECT_NEAR(correlation(layouts("sim:layout=1%,ar=0.5", 4000, 0),
                            layouts("sim:layout=1%,ar=0.5", 4000, 2)),
                0, 0.06);
}

TEST(Sim, ModesHaveTheirDistanceAndShare) {
    const auto values = layouts("sim:modes=20%:0.25", 4000);
    const auto slow = std::ranges::count_if(values, [](double value) { return value > 0.1; });
    EXPECT_NEAR(static_cast<double>(slow) / 4000, 0.25, 0.03);
    EXPECT_NEAR(*std::ranges::max_element(values), std::log(1.2), 1e-6);
    EXPECT_NEAR(*std::ranges::min_element(values), 0, 1e-6);
}

TEST(Sim, DriftAndStepsAreCommonToTheArms) {
    for (const std::string text : {"sim:drift=5%,boot=0", "sim:step=5%,every=1,boot=0"}) {
        const auto of = target(text);
        const SimulatedClock now(77);
        const auto base = machine(*of, {.seed = 77, .arm = 0});
        const auto change = machine(*of, {.seed = 77, .arm = 2});
        std::vector<double> of_base;
        std::vector<double> of_change;
        for (int batch = 0; batch < 200; ++batch) {
            of_base.push_back(measure(*base, 100'000));
            of_change.push_back(measure(*change, 100'000));
        }
        EXPECT_GT(*std::ranges::max_element(of_base) - *std::ranges::min_element(of_base), 5);
        EXPECT_GT(correlation(of_base, of_change), 0.9) << text;
    }
}

TEST(Sim, TimePassesWhileMachinesBootAndMeasureOnly) {
    const SimulatedClock now(123);
    EXPECT_EQ(now().count(), 0);
    const auto of = target("sim:ns=100,boot=0.5");
    const auto one = machine(*of, {.seed = 123});
    EXPECT_EQ(now(), std::chrono::milliseconds(500));
    measure(*one, 1'000'000);
    EXPECT_EQ(now(), std::chrono::milliseconds(600));
    EXPECT_EQ(SimulatedClock(123)(), now());
    EXPECT_EQ(SimulatedClock(124)().count(), 0);
}

TEST(Sim, WorldEndsWithItsLastHolder) {
    {
        const auto held = SimWorld::of(55);
        held->pass(10);
        EXPECT_EQ(SimWorld::of(55)->now().count(), 10);
    }
    EXPECT_EQ(SimWorld::of(55)->now().count(), 0);
}

TEST(Sim, CountsInstructionsExactly) {
    const auto of = target("sim:insns=309,loop=5,noise=5%,layout=5%");
    ASSERT_TRUE(of->can_count());
    const auto one = machine(*of, {.count = true, .seed = 1});
    const auto ticks = [&](const Work& work, std::uint64_t ops) {
        return one->run(work, ops)->elapsed_ns;
    };
    EXPECT_EQ(ticks({"getpid"}, 2000) - ticks({"getpid"}, 1000), 309'000U);
    EXPECT_EQ(ticks({"getpid", true}, 2000) - ticks({"getpid", true}, 1000), 5'000U);
    EXPECT_EQ(ticks({"mix"}, 2000) - ticks({"mix"}, 1000), 1000U * (5 + 5 * 304));
    const auto uncounted = target("sim:ns=1");
    EXPECT_FALSE(uncounted->can_count());
    EXPECT_THAT(uncounted->launch({.count = true}).error().message, HasSubstr("insns=N"));
}

TEST(Sim, ControlCanBeOff) {
    const auto of = target("sim:ns=100,control=2%");
    EXPECT_NEAR(measure(*machine(*of, {.arm = 0})), 100, 1e-9);
    EXPECT_NEAR(measure(*machine(*of, {.arm = 1})), 102, 1e-6);
    EXPECT_NEAR(measure(*machine(*of, {.arm = 2})), 100, 1e-9);
}

TEST(Sim, FailsInTheReplicateAskedFor) {
    const auto of = target("sim:fail=3");
    const auto good = machine(*of, {.replicate = 2});
    EXPECT_TRUE(good->run({"getpid"}, 1).has_value() && good->run({"getpid"}, 1).has_value());
    const auto bad = machine(*of, {.replicate = 3});
    EXPECT_TRUE(bad->run({"getpid"}, 1).has_value());
    const auto death = bad->run({"getpid"}, 1);
    ASSERT_FALSE(death.has_value());
    EXPECT_EQ(death.error().fault, Fault::measurement);
    EXPECT_FALSE(death.error().console.empty());
    const auto never = target("sim:fail=all");
    const auto other = machine(*never, {.replicate = 17});
    EXPECT_TRUE(other->run({"getpid"}, 1).has_value());
    EXPECT_FALSE(other->run({"getpid"}, 1).has_value());
}

TEST(Sim, DoesNotRunWhileItStandsStill) {
    const auto of = target("sim:ns=1");
    const auto one = machine(*of, {});
    ASSERT_TRUE(one->pause().has_value());
    EXPECT_FALSE(one->run({"getpid"}, 1).has_value());
    ASSERT_TRUE(one->go_on().has_value());
    EXPECT_TRUE(one->run({"getpid"}, 1).has_value());
}

TEST(Sim, UnknownWorkloadIsNamed) {
    const auto of = target("sim:ns=1");
    const auto one = machine(*of, {});
    EXPECT_THAT(one->run({"fork"}, 1).error().message, HasSubstr("no workload 'fork'"));
    EXPECT_FALSE(one->prove({"fork"}).has_value());
    EXPECT_FALSE(one->calibrate({"fork"}, std::chrono::milliseconds(1)).has_value());
}

TEST(SimOptions, EachMistakeIsOneSentenceThatNamesIt) {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"sim:ns=0", "ns must be"},
        {"sim:ns=fast", "ns must be"},
        {"sim:ns=100,noise=0.5", "noise must be"},
        {"sim:ns=100,noise=square:0.5%", "noise must be"},
        {"sim:ns=100,layout=-1%", "layout must be"},
        {"sim:ns=100,modes=20%:2", "modes must be"},
        {"sim:ns=100,ar=1", "ar must be"},
        {"sim:ns=100,ar=0.5,hold=8", "hold must be"},
        {"sim:ns=100,hold=0", "hold must be"},
        {"sim:ns=100,every=0", "every must be"},
        {"sim:ns=100,drift=1", "drift must be"},
        {"sim:ns=100,scope=all", "scope must be"},
        {"sim:ns=100,insns=many", "insns must be"},
        {"sim:ns=100,fail=never", "fail must be"},
        {"sim:ns=100,nose=1%", "did you mean noise"},
        {"sim:nn=100", "unknown option nn"},
        {"sim:fast", "fast"},
        {"sim:ns=1,ns=2", "the option ns twice"},
    };
    for (const auto& [text, expected] : mistakes) {
        const auto opened = open_target(text);
        ASSERT_FALSE(opened.has_value()) << text;
        EXPECT_EQ(opened.error().fault, Fault::usage) << text;
        EXPECT_THAT(opened.error().message, HasSubstr(expected)) << text;
        EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
    }
}

TEST(SimOptions, AllAreReadAndShownInHelp) {
    const auto spec = parse_target(
        "sim:ns=50,noise=cauchy:1%,layout=lognormal:2%,modes=20%:0.1,ar=0.25,drift=1%,step=3%,"
        "every=4,boot=0.2,insns=309,loop=6,scope=images,control=1%,fail=7");
    ASSERT_TRUE(spec.has_value());
    const auto options = read_sim_options(*spec);
    ASSERT_TRUE(options.has_value()) << options.error().message;
    EXPECT_EQ(options->ns, 50);
    EXPECT_EQ(options->noise.shape, SimShape::cauchy);
    EXPECT_DOUBLE_EQ(options->noise.size, std::log1p(0.01));
    EXPECT_EQ(options->layout.shape, SimShape::lognormal);
    EXPECT_DOUBLE_EQ(options->mode_distance, std::log1p(0.2));
    EXPECT_EQ(options->mode_share, 0.1);
    EXPECT_EQ(options->correlation, 0.25);
    EXPECT_DOUBLE_EQ(options->drift, std::log1p(0.01));
    EXPECT_DOUBLE_EQ(options->step, std::log1p(0.03));
    EXPECT_EQ(options->every, 4);
    EXPECT_EQ(options->boot, 0.2);
    EXPECT_EQ(options->instructions, 309U);
    EXPECT_EQ(options->loop_instructions, 6U);
    EXPECT_EQ(options->scope, Scope::images);
    EXPECT_DOUBLE_EQ(options->control, std::log1p(0.01));
    EXPECT_EQ(options->failing_replicate, 7U);
    EXPECT_FALSE(options->always_fails);
    for (const OptionHelp& option : sim_option_help) {
        EXPECT_FALSE(option.help.empty()) << option.key;
    }
}

}  // namespace
}  // namespace kerntoll::lab
