// SPDX-License-Identifier: MIT
#include "lab/store/store.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include "tests/store/example.hpp"

namespace kerntoll::lab::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreTest : public testing::Test {
protected:
    TemporaryDirectory directory_;
    Store store_ = must(Store::open(directory_ / "deep/er/results.db", OpenMode::write));
};

TEST_F(StoreTest, reads_back_what_was_asked_for) {
    const RunId id = must(store_.begin_run(example_run()));
    const StoredRun stored = must(store_.load(id));
    const RunRecord expected = example_run();
    EXPECT_EQ(stored.id, id);
    EXPECT_EQ(stored.run.command, expected.command);
    EXPECT_EQ(stored.run.argv, expected.argv);
    EXPECT_EQ(stored.run.workloads, expected.workloads);
    EXPECT_EQ(stored.run.seed, expected.seed);
    EXPECT_EQ(stored.run.margin, expected.margin);
    EXPECT_EQ(stored.run.precision, expected.precision);
    EXPECT_EQ(stored.run.max_seconds, expected.max_seconds);
    EXPECT_EQ(stored.run.batch_seconds, expected.batch_seconds);
    EXPECT_EQ(stored.run.blocks, expected.blocks);
    EXPECT_EQ(stored.run.least_replicates, expected.least_replicates);
    EXPECT_EQ(stored.run.most_replicates, expected.most_replicates);
    EXPECT_EQ(stored.run.version, expected.version);
    EXPECT_EQ(stored.run.environment, expected.environment);
    ASSERT_EQ(stored.run.arms.size(), 3U);
    const ArmRecord& change = stored.run.arms[2];
    EXPECT_EQ(change.index, 2U);
    EXPECT_EQ(change.role, Role::change);
    EXPECT_EQ(change.target, "host,seccomp=args");
    EXPECT_EQ(change.grade, Grade::virtualised);
    EXPECT_EQ(change.scope, Scope::layouts);
    EXPECT_EQ(change.layout_key, "k1");
    EXPECT_EQ(change.provenance, expected.arms[2].provenance);
    EXPECT_EQ(change.remarks, expected.arms[2].remarks);
}

TEST_F(StoreTest, keeps_counts_and_events) {
    const RunId id = must(store_.begin_run(example_run()));
    auto sink = must(store_.sink(id));
    must(sink->count({2, 1, 1190, 9, false}));
    must(sink->event({7, 2, "fault", "the guest hung", {"line 1", "line 2"}}));
    must(sink->event({std::nullopt, std::nullopt, "note", "nobody's", {}}));
    const StoredRun stored = must(store_.load(id));
    ASSERT_EQ(stored.counts.size(), 1U);
    EXPECT_EQ(stored.counts[0].arm, 2U);
    EXPECT_EQ(stored.counts[0].workload, 1U);
    EXPECT_EQ(stored.counts[0].instructions_per_op, 1190);
    EXPECT_EQ(stored.counts[0].loop_instructions, 9);
    EXPECT_FALSE(stored.counts[0].exact);
    ASSERT_EQ(stored.events.size(), 2U);
    EXPECT_EQ(stored.events[0].replicate, 7U);
    EXPECT_EQ(stored.events[0].arm, 2U);
    EXPECT_EQ(stored.events[0].kind, "fault");
    EXPECT_EQ(stored.events[0].text, "the guest hung");
    EXPECT_THAT(stored.events[0].console, ElementsAre("line 1", "line 2"));
    EXPECT_EQ(stored.events[1].replicate, std::nullopt);
    EXPECT_EQ(stored.events[1].arm, std::nullopt);
}

TEST_F(StoreTest, keeps_paths_and_the_latest_of_each) {
    const RunId id = must(store_.begin_run(example_run()));
    auto sink = must(store_.sink(id));
    PathRecord path{.arm = 2,
                    .workload = 1,
                    .call = 3,
                    .calls_per_op = 5,
                    .counts = {.instructions = 1,
                               .calls = 2,
                               .returns = 3,
                               .branches = 4,
                               .taken = 5,
                               .indirect = 6,
                               .loads = 7,
                               .stores = 8,
                               .atomics = 9,
                               .barriers = 10,
                               .code_lines = 11,
                               .data_lines = 12,
                               .code_bytes = 13,
                               .specials = {{"csrrw sscratch", 2}, {"odd \xff\"", 1}}},
                    .image = {.sections = std::nullopt, .labels = ImageSize{4000, 900}},
                    .functions = {{"gone_one", Fate::gone, "", 5, 0, 40, std::nullopt}},
                    .remarks = {"a remark"}};
    must(sink->path(path));
    path.functions = {{"f", Fate::inlined, "g", 5, 0, 40, 0}, {"g", Fate::moved, "", 1, 1, {}, {}}};
    must(sink->path(path));
    const StoredRun stored = must(store_.load(id));
    ASSERT_EQ(stored.paths.size(), 1U);
    const PathRecord& read = stored.paths[0];
    EXPECT_EQ(read.arm, 2U);
    EXPECT_EQ(read.workload, 1U);
    EXPECT_EQ(read.call, 3U);
    EXPECT_EQ(read.calls_per_op, 5U);
    for (const Quantity& quantity : quantities()) {
        EXPECT_EQ(read.counts.*quantity.count, path.counts.*quantity.count) << quantity.name;
    }
    EXPECT_EQ(special(read.counts, "csrrw sscratch"), 2U);
    EXPECT_EQ(read.counts.specials.size(), 2U);
    EXPECT_FALSE(read.image.sections);
    ASSERT_TRUE(read.image.labels);
    EXPECT_EQ(read.image.labels->text, 4000U);
    EXPECT_EQ(read.image.labels->rodata, 900U);
    EXPECT_THAT(read.remarks, ElementsAre("a remark"));
    ASSERT_EQ(read.functions.size(), 2U);
    EXPECT_EQ(read.functions[0].name, "f");
    EXPECT_EQ(read.functions[0].fate, Fate::inlined);
    EXPECT_EQ(read.functions[0].into, "g");
    EXPECT_EQ(read.functions[0].base, 5U);
    EXPECT_EQ(read.functions[0].change, 0U);
    EXPECT_EQ(read.functions[0].base_size, 40U);
    EXPECT_EQ(read.functions[0].change_size, 0U);
    EXPECT_EQ(read.functions[1].fate, Fate::moved);
    EXPECT_EQ(read.functions[1].change_size, std::nullopt);
}

TEST_F(StoreTest, compares_sizes_that_are_known_in_the_same_way_alone) {
    const ImageSizes both{ImageSize{10, 1}, ImageSize{20, 2}};
    const ImageSizes sections{ImageSize{11, 1}, std::nullopt};
    const ImageSizes labels{std::nullopt, ImageSize{21, 2}};
    EXPECT_EQ(compare_sizes(both, sections)->change.text, 11U);
    EXPECT_EQ(compare_sizes(both, sections)->base.text, 10U);
    EXPECT_EQ(compare_sizes(labels, both)->change.text, 20U);
    EXPECT_EQ(compare_sizes(both, both)->source, ComparedSizes::Source::sections);
    EXPECT_FALSE(compare_sizes(sections, labels));
    EXPECT_FALSE(compare_sizes(labels, sections));
    EXPECT_FALSE(compare_sizes({}, both));
}

TEST_F(StoreTest, streams_batches_of_complete_replicates_only_and_in_order) {
    const RunId other = must(store_.begin_run(example_run()));
    const RunId id = must(store_.begin_run(example_run()));
    auto other_sink = must(store_.sink(other));
    auto sink = must(store_.sink(id));
    for (const std::uint32_t replicate : {0U, 1U, 2U}) {
        for (const std::uint32_t block : {0U, 1U}) {
            must(sink->batch(example_batch(replicate, block, 2)));
            must(sink->batch(example_batch(replicate, block, 0)));
            must(other_sink->batch(example_batch(replicate, block, 1)));
        }
        if (replicate != 1) {
            must(sink->replicate_done(replicate, replicate + 0.5));
        }
    }
    std::vector<std::array<std::uint32_t, 3>> seen;
    for (const BatchRecord& batch : all_batches(store_, id)) {
        seen.push_back({batch.replicate, batch.block, batch.arm});
    }
    using Key = std::array<std::uint32_t, 3>;
    EXPECT_THAT(seen, ElementsAre(Key{0, 0, 0}, Key{0, 0, 2}, Key{0, 1, 0}, Key{0, 1, 2},
                                  Key{2, 0, 0}, Key{2, 0, 2}, Key{2, 1, 0}, Key{2, 1, 2}));
    EXPECT_TRUE(all_batches(store_, other).empty());
    EXPECT_EQ(must(store_.load(id)).seconds, 2.5);
    std::size_t all = 0;
    std::size_t complete = 0;
    must(store_.for_every_batch(id, [&](const BatchRecord&, bool counts) {
        ++all;
        complete += counts ? 1 : 0;
    }));
    EXPECT_EQ(all, 12U);
    EXPECT_EQ(complete, 8U);
}

TEST_F(StoreTest, keeps_every_number_of_a_batch) {
    const RunId id = must(store_.begin_run(example_run()));
    auto sink = must(store_.sink(id));
    BatchRecord batch = example_batch(3, 1, 2, 1);
    batch.position = 0;
    batch.sample = {
        .ops = 1,
        .elapsed_ns = 2,
        .ticks = 0xffffffffffffffff,
        .counters = {
            .instructions = 4, .cycles = std::nullopt, .branch_misses = 0, .l1i_misses = 6}};
    must(sink->batch(batch));
    must(sink->replicate_done(3, 1));
    const auto batches = all_batches(store_, id);
    ASSERT_EQ(batches.size(), 1U);
    EXPECT_EQ(batches[0].position, 0U);
    EXPECT_EQ(batches[0].workload, 1U);
    EXPECT_EQ(batches[0].at_ns, batch.at_ns);
    EXPECT_EQ(batches[0].sample.ops, 1U);
    EXPECT_EQ(batches[0].sample.elapsed_ns, 2U);
    EXPECT_EQ(batches[0].sample.ticks, 0xffffffffffffffff);
    EXPECT_EQ(batches[0].sample.counters.instructions, 4U);
    EXPECT_EQ(batches[0].sample.counters.cycles, std::nullopt);
    EXPECT_EQ(batches[0].sample.counters.branch_misses, 0U);
    EXPECT_EQ(batches[0].sample.counters.l1i_misses, 6U);
}

TEST_F(StoreTest, refuses_the_same_batch_twice) {
    const RunId id = must(store_.begin_run(example_run()));
    auto sink = must(store_.sink(id));
    must(sink->batch(example_batch(0, 0, 0)));
    EXPECT_FALSE(sink->batch(example_batch(0, 0, 0)));
}

TEST_F(StoreTest, refuses_batches_of_a_run_that_was_never_begun) {
    auto sink = must(store_.sink(41));
    EXPECT_FALSE(sink->batch(example_batch(0, 0, 0)));
}

TEST_F(StoreTest, says_which_run_is_not_there) {
    const auto stored = store_.load(9);
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().fault, Fault::usage);
    EXPECT_THAT(stored.error().message, HasSubstr("there is no run 9"));
}

TEST_F(StoreTest, remembers_how_a_run_ended) {
    const RunId id = must(store_.begin_run(example_run()));
    EXPECT_EQ(must(store_.load(id)).state, RunState::running);
    auto sink = must(store_.sink(id));
    must(sink->finish(RunState::finished, "the time is out"));
    sink.reset();
    const StoredRun stored = must(store_.load(id));
    EXPECT_EQ(stored.state, RunState::finished);
    EXPECT_EQ(stored.why, "the time is out");
}

TEST_F(StoreTest, a_sink_that_goes_without_a_word_leaves_the_run_interrupted) {
    const RunId id = must(store_.begin_run(example_run()));
    must(store_.sink(id)).reset();
    EXPECT_EQ(must(store_.load(id)).state, RunState::interrupted);
}

TEST_F(StoreTest, a_resumed_run_goes_on_behind_every_replicate_that_was_begun) {
    const RunId id = must(store_.begin_run(example_run()));
    EXPECT_EQ(must(store_.next_replicate(id)), 0U);
    {
        auto sink = must(store_.sink(id));
        must(sink->batch(example_batch(0, 0, 0)));
        must(sink->replicate_done(0, 1));
        must(sink->batch(example_batch(1, 0, 0)));
        must(sink->event({2, 0, "fault", "did not boot", {}}));
        must(sink->finish(RunState::interrupted, "Ctrl-C"));
    }
    EXPECT_EQ(must(store_.next_replicate(id)), 3U);
    auto sink = must(store_.reopen(id));
    EXPECT_EQ(must(store_.next_replicate(id)), 3U);
    StoredRun stored = must(store_.load(id));
    EXPECT_EQ(stored.state, RunState::running);
    EXPECT_EQ(stored.why, "");
    EXPECT_EQ(stored.events.back().kind, "resumed");
    must(sink->batch(example_batch(3, 0, 0)));
    must(sink->replicate_done(3, 2));
    EXPECT_EQ(all_batches(store_, id).size(), 2U);
}

TEST_F(StoreTest, limits_given_to_a_resumed_run_are_its_own_from_then_on) {
    const RunId id = must(store_.begin_run(example_run()));
    must(must(store_.sink(id))->finish(RunState::interrupted, "Ctrl-C"));
    const RunRecord before = must(store_.load(id)).run;

    must(must(store_.reopen(id, {.max_seconds = 777, .precision = {}}))
             ->finish(RunState::interrupted, "Ctrl-C"));
    EXPECT_EQ(must(store_.load(id)).run.max_seconds, 777);
    EXPECT_EQ(must(store_.load(id)).run.precision, before.precision);

    must(must(store_.reopen(id, {.max_seconds = {}, .precision = 0.25}))
             ->finish(RunState::interrupted, "Ctrl-C"));
    EXPECT_EQ(must(store_.load(id)).run.max_seconds, 777);
    EXPECT_EQ(must(store_.load(id)).run.precision, 0.25);
}

TEST_F(StoreTest, a_run_that_is_being_measured_cannot_be_resumed) {
    const RunId id = must(store_.begin_run(example_run()));
    const auto sink = store_.reopen(id);
    ASSERT_FALSE(sink);
    EXPECT_EQ(sink.error().fault, Fault::usage);
    EXPECT_THAT(sink.error().message, HasSubstr("is being measured by process"));
    EXPECT_EQ(store_.reopen(99).error().fault, Fault::usage);
}

TEST_F(StoreTest, lists_runs_with_base_and_changes) {
    const RunId first = must(store_.begin_run(example_run()));
    const RunId second = must(store_.begin_run(example_run()));
    {
        auto sink = must(store_.sink(second));
        must(sink->replicate_done(0, 1.5));
        must(sink->replicate_done(1, 3.5));
        must(sink->finish(RunState::finished, "done"));
    }
    const auto runs = must(store_.list());
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].id, first);
    EXPECT_EQ(runs[0].state, RunState::running);
    EXPECT_EQ(runs[1].state, RunState::finished);
    EXPECT_EQ(runs[1].replicates, 2U);
    EXPECT_EQ(runs[1].seconds, 3.5);
    EXPECT_EQ(runs[1].command, "compare");
    EXPECT_THAT(runs[1].targets, ElementsAre("host", "host,seccomp=args"));
    EXPECT_THAT(runs[1].workloads, ElementsAre("getpid", "mix"));
}

TEST_F(StoreTest, text_that_is_not_utf8_does_not_lose_a_run) {
    RunRecord run = example_run();
    run.arms[0].remarks = {"bad \xff\xfe bytes"};
    const RunId id = must(store_.begin_run(run));
    auto sink = must(store_.sink(id));
    must(sink->event({0, 0, "fault", "x", {"\x1b[31m\xc3(", std::string("nul\0byte", 8)}}));
    const StoredRun stored = must(store_.load(id));
    EXPECT_THAT(stored.run.arms[0].remarks, ElementsAre(HasSubstr("bad ")));
    EXPECT_EQ(stored.events[0].console.size(), 2U);
}

TEST(DefaultPath, follows_the_xdg_specification) {
    ::setenv("XDG_DATA_HOME", "/data", 1);
    ::setenv("HOME", "/home/u", 1);
    EXPECT_EQ(must(default_path()), "/data/kerntoll/results.db");
    ::setenv("XDG_DATA_HOME", "not/absolute", 1);
    EXPECT_EQ(must(default_path()), "/home/u/.local/share/kerntoll/results.db");
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("HOME");
    EXPECT_EQ(default_path().error().fault, Fault::environment);
}

}  // namespace
}  // namespace kerntoll::lab::store
