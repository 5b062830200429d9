// SPDX-License-Identifier: MIT
// Several processes on one results file, and processes that are killed.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>

#include "lab/store/owner.hpp"
#include "tests/store/child.hpp"
#include "tests/store/example.hpp"

namespace kerntoll::lab::store {
namespace {

using testing::HasSubstr;

class StoreProcesses : public testing::Test {
protected:
    TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "results.db";
};

/// Begins a run and stores batches without end, telling each one's number.
void measure_forever(const std::filesystem::path& path, const Writer& say) {
    Store store = must(Store::open(path, OpenMode::write));
    const RunId id = must(store.begin_run(example_run()));
    auto sink = must(store.sink(id));
    for (std::uint32_t replicate = 0;; ++replicate) {
        must(sink->batch(example_batch(replicate, 0, 0)));
        must(sink->replicate_done(replicate, replicate));
        must(sink->batch(example_batch(replicate, 1, 1)));
        say(fmt::format("{}\n", replicate));
    }
}

TEST_F(StoreProcesses, kill_9_loses_no_batch_and_the_run_can_go_on) {
    Child child([&](const Writer& say) { measure_forever(path_, say); });
    std::string heard;
    while (!heard.contains("\n20\n")) {
        heard += child.hear();
    }
    {
        const Store store = must(Store::open(path_, OpenMode::read));
        EXPECT_EQ(must(store.load(1)).state, RunState::running);
    }
    child.kill(SIGKILL);
    heard += child.hear_all();
    child.reap();

    Store store = must(Store::open(path_, OpenMode::write));
    const StoredRun stored = must(store.load(1));
    EXPECT_EQ(stored.state, RunState::interrupted);
    EXPECT_THAT(stored.why, HasSubstr("killed"));
    const auto told = static_cast<std::size_t>(std::ranges::count(heard, '\n'));
    std::size_t all = 0;
    must(store.for_every_batch(1, [&](const BatchRecord&, bool) { ++all; }));
    EXPECT_GE(all, 2 * told);
    auto sink = must(store.reopen(1));
    const auto next = must(store.next_replicate(1));
    EXPECT_GE(next, told);
    must(sink->batch(example_batch(next, 0, 0)));
}

TEST_F(StoreProcesses, a_killed_process_that_nobody_has_reaped_is_dead) {
    Child child([&](const Writer& say) { measure_forever(path_, say); });
    (void)child.hear();
    child.kill(SIGKILL);
    child.wait_until_dead();
    const Store store = must(Store::open(path_, OpenMode::read));
    EXPECT_EQ(must(store.load(1)).state, RunState::interrupted);
}

TEST_F(StoreProcesses, a_later_process_with_the_same_id_is_not_taken_for_the_first) {
    Owner self = this_process();
    EXPECT_TRUE(alive(self));
    self.start_ticks += 1;
    EXPECT_FALSE(alive(self));
    self.start_ticks -= 1;
    self.boot_id = "another boot";
    EXPECT_FALSE(alive(self));
}

TEST_F(StoreProcesses, two_make_the_same_file_at_the_same_moment) {
    for (int round = 0; round < 10; ++round) {
        const auto path = directory_ / fmt::format("{}.db", round);
        const auto open = [&](const Writer& say) {
            auto store = Store::open(path, OpenMode::write);
            say(store ? "opened" : store.error().message);
        };
        Child one(open);
        Child two(open);
        EXPECT_EQ(one.hear_all(), "opened");
        EXPECT_EQ(two.hear_all(), "opened");
    }
}

TEST_F(StoreProcesses, two_measure_side_by_side) {
    constexpr std::uint32_t replicates = 200;
    const auto measure = [&](const Writer& say) {
        auto store = Store::open(path_, OpenMode::write);
        if (!store) {
            say(store.error().message);
            return;
        }
        const RunId id = must(store->begin_run(example_run()));
        auto sink = must(store->sink(id));
        for (std::uint32_t replicate = 0; replicate < replicates; ++replicate) {
            auto kept = sink->batch(example_batch(replicate, 0, 0, 0, 1000 + replicate));
            if (kept) {
                kept = sink->replicate_done(replicate, replicate);
            }
            if (!kept) {
                say(kept.error().message);
                return;
            }
        }
        must(sink->finish(RunState::finished, "done"));
        say("done");
    };
    Child one(measure);
    Child two(measure);
    EXPECT_EQ(one.hear_all(), "done");
    EXPECT_EQ(two.hear_all(), "done");
    const Store store = must(Store::open(path_, OpenMode::read));
    for (const RunSummary& run : must(store.list())) {
        EXPECT_EQ(run.state, RunState::finished);
        EXPECT_EQ(all_batches(store, run.id).size(), replicates);
    }
    EXPECT_EQ(must(store.list()).size(), 2U);
}

TEST_F(StoreProcesses, a_run_that_another_process_measures_can_be_read_but_not_resumed) {
    Child child([&](const Writer& say) { measure_forever(path_, say); });
    (void)child.hear();
    Store store = must(Store::open(path_, OpenMode::write));
    EXPECT_EQ(must(store.load(1)).state, RunState::running);
    EXPECT_THAT(store.reopen(1).error().message, HasSubstr("is being measured by process"));
    child.kill(SIGKILL);
    (void)child.hear_all();
    child.reap();
    EXPECT_TRUE(store.reopen(1));
}

}  // namespace
}  // namespace kerntoll::lab::store
