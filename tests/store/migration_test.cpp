// SPDX-License-Identifier: MIT
// A results file of schema version 1, as its kerntoll wrote it, is brought up to date in place.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "tests/store/example.hpp"

namespace kerntoll::lab::store {
namespace {

/// Version 1 of the tables and a run with one complete replicate and one that was cut short.
constexpr const char* version_1 = R"(
PRAGMA journal_mode = WAL;
PRAGMA application_id = 0x6b746f6c;
PRAGMA user_version = 1;
CREATE TABLE runs (id INTEGER PRIMARY KEY, command TEXT NOT NULL, argv TEXT NOT NULL,
    workloads TEXT NOT NULL, seed INTEGER NOT NULL, margin REAL NOT NULL, precision REAL NOT NULL,
    max_seconds REAL NOT NULL, batch_seconds REAL NOT NULL, blocks INTEGER NOT NULL,
    least_replicates INTEGER NOT NULL, most_replicates INTEGER NOT NULL, version TEXT NOT NULL,
    environment TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL DEFAULT '',
    started_ns INTEGER NOT NULL, seconds REAL NOT NULL DEFAULT 0);
CREATE TABLE arms (run INTEGER NOT NULL REFERENCES runs(id), arm INTEGER NOT NULL,
    role TEXT NOT NULL, target TEXT NOT NULL, grade TEXT NOT NULL, scope TEXT NOT NULL,
    layout_key TEXT NOT NULL, provenance TEXT NOT NULL, remarks TEXT NOT NULL,
    PRIMARY KEY (run, arm)) WITHOUT ROWID;
CREATE TABLE batches (run INTEGER NOT NULL REFERENCES runs(id), replicate INTEGER NOT NULL,
    block INTEGER NOT NULL, workload INTEGER NOT NULL, arm INTEGER NOT NULL,
    position INTEGER NOT NULL, at_ns INTEGER NOT NULL, ops INTEGER NOT NULL,
    elapsed_ns INTEGER NOT NULL, ticks INTEGER NOT NULL, instructions INTEGER, cycles INTEGER,
    branch_misses INTEGER, l1i_misses INTEGER,
    PRIMARY KEY (run, replicate, block, workload, arm)) WITHOUT ROWID;
CREATE TABLE replicates (run INTEGER NOT NULL REFERENCES runs(id), replicate INTEGER NOT NULL,
    seconds REAL NOT NULL, PRIMARY KEY (run, replicate)) WITHOUT ROWID;
CREATE TABLE counts (run INTEGER NOT NULL REFERENCES runs(id), arm INTEGER NOT NULL,
    workload INTEGER NOT NULL, instructions_per_op REAL NOT NULL,
    loop_instructions REAL NOT NULL, exact INTEGER NOT NULL,
    PRIMARY KEY (run, arm, workload)) WITHOUT ROWID;
CREATE TABLE events (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id),
    replicate INTEGER, arm INTEGER, kind TEXT NOT NULL, text TEXT NOT NULL,
    console TEXT NOT NULL);
CREATE INDEX events_by_run ON events(run);
INSERT INTO runs VALUES (1, 'compare', '["kerntoll","compare","host","host"]', '["getpid"]', -1,
    0.005, 0.00166, 120, 0.02, 4, 20, 0, '0.0.1', '[["smt","off"]]', 'running', '', 17, 2.5);
INSERT INTO arms VALUES (1, 0, 'base', 'host', 'hardware', 'layouts', 'k', '[]', '[]');
INSERT INTO batches VALUES (1, 0, 0, 0, 0, 0, 5, 1000, 123456, 7, NULL, NULL, NULL, NULL);
INSERT INTO batches VALUES (1, 1, 0, 0, 0, 0, 6, 1000, 123457, 8, NULL, NULL, NULL, NULL);
INSERT INTO replicates VALUES (1, 0, 2.5);
)";

class Migration : public testing::Test {
protected:
    void SetUp() override {
        sqlite3* connection = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(connection, version_1, nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(connection);
        sqlite3_close(connection);
    }
    TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "results.db";
};

TEST_F(Migration, an_older_file_keeps_its_runs) {
    for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
        const Store store = must(Store::open(path_, mode));
        const StoredRun stored = must(store.load(1));
        EXPECT_EQ(stored.run.seed, 0xffffffffffffffff);
        EXPECT_EQ(stored.seconds, 2.5);
        const auto batches = all_batches(store, 1);
        EXPECT_TRUE(stored.paths.empty());
        ASSERT_EQ(batches.size(), 1U);
        EXPECT_EQ(batches[0].sample.elapsed_ns, 123456U);
    }
}

TEST_F(Migration, a_run_that_no_known_process_measures_can_be_resumed) {
    Store store = must(Store::open(path_, OpenMode::write));
    EXPECT_EQ(must(store.load(1)).state, RunState::interrupted);
    auto sink = must(store.reopen(1));
    const auto next = must(store.next_replicate(1));
    EXPECT_EQ(next, 2U);
    must(sink->batch(example_batch(next, 0, 0)));
    must(sink->replicate_done(next, 3));
    EXPECT_EQ(all_batches(store, 1).size(), 2U);
    must(sink->path({.arm = 0, .functions = {{.name = "f"}}}));
    EXPECT_EQ(must(store.load(1)).paths[0].functions.size(), 1U);
}

}  // namespace
}  // namespace kerntoll::lab::store
