// SPDX-License-Identifier: MIT
// What a report works out of stored batches.
#include "lab/report/report.hpp"

#include <gmock/gmock.h>

#include "tests/report/scene.hpp"

namespace kerntoll::lab::report {
namespace {

using stats::Verdict;
using store::Role;
using testing::DoubleNear;
using testing::Optional;

TEST(Report, has_a_row_for_every_workload_and_change) {
    Scene scene = host_scene();
    scene.run.arms.push_back(scene.run.arms[2]);
    scene.run.arms[3].index = 3;
    scene.arm_effects = {0, 0, 0.05, -0.03};
    const Report report = scene.report();
    ASSERT_EQ(report.rows.size(), 4U);
    EXPECT_EQ(report.rows[1].workload, 0U);
    EXPECT_EQ(report.rows[1].change.arm, 3U);
    EXPECT_EQ(report.rows[2].workload, 1U);
    EXPECT_EQ(report.replicates, 30U);
    EXPECT_NEAR(report.rows[0].estimate.effect, 0.05, 0.002);
    EXPECT_NEAR(report.rows[3].estimate.effect, -0.03, 0.002);
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::slower);
    EXPECT_EQ(report.rows[1].decision.verdict, Verdict::faster);
}

TEST(Report, gives_both_sides_their_own_figures) {
    Scene scene = host_scene();
    scene.arm_effects = {0, 0, 0.05};
    scene.counters = {.instructions = 31'000'000,
                      .cycles = std::nullopt,
                      .branch_misses = 50'000,
                      .l1i_misses = std::nullopt};
    const Report report = scene.report();
    const Row& row = report.rows[0];
    EXPECT_THAT(row.base.ns_per_op, Optional(DoubleNear(100, 0.2)));
    EXPECT_THAT(row.change.ns_per_op, Optional(DoubleNear(105.1, 0.2)));
    EXPECT_LT(row.base.ns_interval.low, 100);
    EXPECT_GT(row.base.ns_interval.high, 100);
    EXPECT_THAT(row.base.ticks_per_op, Optional(DoubleNear(200, 0.5)));
    EXPECT_THAT(row.base.counters.instructions, Optional(310));
    EXPECT_THAT(row.base.counters.branch_misses, Optional(0.5));
    EXPECT_EQ(row.base.counters.cycles, std::nullopt);
    EXPECT_EQ(row.base.times.size(), 30U);
    EXPECT_EQ(row.effects.size(), 30U);
}

TEST(Report, gives_times_whose_interval_is_theirs) {
    Scene scene = host_scene();
    scene.slow_share = 0.4;
    scene.replicates = 200;
    const Figures base = scene.report().rows[0].base;
    EXPECT_LT(base.ns_interval.low, base.ns_per_op.value());
    EXPECT_GT(base.ns_interval.high, base.ns_per_op.value());
}

TEST(Report, leaves_out_ticks_that_do_not_resolve_a_batch) {
    Scene scene = host_scene();
    scene.base_ns = 4;
    scene.ops = 100;  // 400 ns and 800 ticks a batch
    EXPECT_EQ(scene.report().rows[0].base.ticks_per_op, std::nullopt);
}

TEST(Report, is_equivalent_for_no_difference) {
    const Report report = host_scene().report();
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::equivalent);
    ASSERT_TRUE(report.rows[0].control);
    EXPECT_EQ(report.rows[0].control->replicates, 30U);
}

TEST(Report, does_not_trust_a_run_whose_control_failed) {
    Scene scene = host_scene();
    scene.arm_effects = {0, 0.03, 0.05};
    EXPECT_EQ(scene.report().rows[0].decision.verdict, Verdict::untrusted);
}

TEST(Report, does_not_trust_a_machine_that_misbehaved) {
    Scene scene = host_scene();
    const auto begun = scene.report().replicates;
    scene.events.assign(begun / 3, {1, 0, "fault", "the clock stepped back", {}});
    EXPECT_NE(scene.report().rows[0].decision.verdict, Verdict::untrusted);
    scene.events.assign(begun, {1, 0, "fault", "the clock stepped back", {}});
    const Report report = scene.report();
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::untrusted);
    EXPECT_THAT(report.rows[0].decision.reason, testing::HasSubstr("replicates failed"));
}

TEST(Report, calls_equal_counts_of_images_layout_like) {
    Scene scene = emulated_scene();
    scene.counts[1].instructions_per_op = 348;
    const Report report = scene.report();
    EXPECT_EQ(report.rows[0].equal_counts, true);
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::layout_like);
}

TEST(Report, does_not_take_inexact_counts_for_equal) {
    Scene scene = emulated_scene();
    scene.counts[1].instructions_per_op = 348;
    scene.counts[1].exact = false;
    EXPECT_EQ(scene.report().rows[0].equal_counts, std::nullopt);
}

TEST(Report, of_images_without_placebos_says_that_layout_is_untested) {
    const Report report = emulated_scene().report();
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::slower);
    EXPECT_TRUE(report.rows[0].decision.layout_untested);
}

TEST(Report, holds_an_effect_against_the_placebos) {
    Scene scene = emulated_scene();
    scene.run.arms.push_back(scene.run.arms[0]);
    scene.run.arms[3].index = 3;
    scene.run.arms[3].role = Role::placebo;
    scene.arm_effects = {0, 0, 0.05, 0.06};
    const Report report = scene.report();
    ASSERT_EQ(report.rows[0].placebos.size(), 1U);
    EXPECT_NEAR(report.rows[0].placebos[0].estimate.effect, 0.06, 0.002);
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::layout_like);
    // With other instructions than the base's it is no placebo, whatever it was called.
    scene.counts.push_back(scene.counts[0]);
    scene.counts.back().arm = 3;
    scene.counts.back().instructions_per_op -= 8;
    EXPECT_EQ(scene.report().rows[0].decision.verdict, Verdict::slower);
}

TEST(Report, takes_the_weaker_grade_and_scope_of_the_two_sides) {
    Scene scene = host_scene();
    scene.run.arms[2].grade = Grade::emulated;
    scene.run.arms[2].scope = Scope::images;
    const Report report = scene.report();
    EXPECT_EQ(report.rows[0].grade, Grade::emulated);
    EXPECT_EQ(report.rows[0].scope, Scope::images);
}

/// The p-value of one row alone, and what Holm makes of it beside many rows without a difference.
TEST(Report, corrects_over_the_whole_table) {
    const auto with_workloads = [](std::size_t count) {
        Scene scene = host_scene();
        scene.run.workloads.assign(count, "w");
        scene.arm_effects = {0, 0, 0.01};
        scene.noise = 0.05;
        return scene.report();
    };
    const Report one = with_workloads(1);
    const Report many = with_workloads(8);
    EXPECT_DOUBLE_EQ(one.rows[0].adjusted_p, one.rows[0].estimate.p_value);
    std::vector<double> p_values;
    for (const Row& row : many.rows) {
        p_values.push_back(row.estimate.p_value);
    }
    const auto adjusted = stats::holm(p_values);
    for (std::size_t index = 0; index < many.rows.size(); ++index) {
        EXPECT_DOUBLE_EQ(many.rows[index].adjusted_p, adjusted[index]);
        EXPECT_GE(many.rows[index].adjusted_p, p_values[index]);
    }
    EXPECT_GT(std::ranges::max(adjusted), std::ranges::max(p_values) * 0.999);
}

TEST(Report, tells_what_the_precision_would_take_only_where_it_was_not_reached) {
    Scene noisy = host_scene();
    noisy.noise = 0.05;
    const Report report = noisy.report();
    ASSERT_TRUE(report.rows[0].outlook);
    EXPECT_GT(report.rows[0].outlook->replicates, 30U);
    // 2 s per replicate
    EXPECT_DOUBLE_EQ(report.rows[0].outlook->seconds,
                     2.0 * static_cast<double>(report.rows[0].outlook->replicates));
    Scene quiet = host_scene();
    quiet.replicates = 60;
    EXPECT_FALSE(quiet.report().rows[0].outlook);
}

TEST(Report, of_replicates_that_were_cut_short_counts_only_the_complete_ones) {
    Scene scene = host_scene();
    (void)scene.report();
    store::Store store = scene.store();
    auto sink = store::must(store.reopen(scene.id()));
    store::must(sink->batch(store::example_batch(30, 0, 0, 0, 1)));
    store::must(sink->finish(store::RunState::interrupted, "Ctrl-C"));
    const Report report = store::must(analyse(store, scene.id()));
    EXPECT_EQ(report.replicates, 30U);
    EXPECT_EQ(report.rows[0].base.times.size(), 30U);
}

TEST(Report, of_a_run_without_replicates_decides_nothing) {
    Scene scene = host_scene();
    scene.replicates = 0;
    const Report report = scene.report();
    EXPECT_EQ(report.replicates, 0U);
    EXPECT_EQ(report.rows[0].decision.verdict, Verdict::undecided);
    EXPECT_EQ(report.rows[0].base.ns_per_op, std::nullopt);
}

TEST(Report, of_one_target_alone_has_figures_and_no_rows) {
    Scene scene = host_scene();
    scene.run.command = "run";
    scene.run.arms.resize(1);
    const Report report = scene.report();
    EXPECT_TRUE(report.rows.empty());
    EXPECT_THAT(report.of(1, 0).ns_per_op, Optional(DoubleNear(100, 0.2)));
}

TEST(Report, skips_batches_that_cannot_be_of_this_run) {
    Scene scene = host_scene();
    (void)scene.report();
    store::Store store = scene.store();
    auto sink = store::must(store.reopen(scene.id()));
    auto stray = store::example_batch(31, 0, 77, 55);
    store::must(sink->batch(stray));
    auto empty = store::example_batch(31, 0, 0, 0);
    empty.sample.ops = 0;
    store::must(sink->batch(empty));
    store::must(sink->replicate_done(31, 99));
    store::must(sink->finish(store::RunState::finished, ""));
    EXPECT_EQ(store::must(analyse(store, scene.id())).rows[0].base.times.size(), 30U);
}

TEST(Report, of_a_run_that_is_not_there_fails) {
    Scene scene = host_scene();
    EXPECT_FALSE(analyse(scene.store(), 12));
}

}  // namespace
}  // namespace kerntoll::lab::report
