// SPDX-License-Identifier: MIT
#include "lab/store/schema.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

namespace kerntoll::lab::store {
namespace {

/// SQLite's application_id: "ktol" in ASCII. Tells our file from any other SQLite database.
constexpr std::int64_t application_id = 0x6b746f6c;

/// Version 1. Batches are clustered by their natural key: a run's batches lie side by side in the
/// order in which they are read, and nothing can be stored twice.
constexpr const char* tables = R"(
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    command TEXT NOT NULL,
    argv TEXT NOT NULL,
    workloads TEXT NOT NULL,
    seed INTEGER NOT NULL,
    margin REAL NOT NULL,
    precision REAL NOT NULL,
    max_seconds REAL NOT NULL,
    batch_seconds REAL NOT NULL,
    blocks INTEGER NOT NULL,
    least_replicates INTEGER NOT NULL,
    most_replicates INTEGER NOT NULL,
    version TEXT NOT NULL,
    environment TEXT NOT NULL,
    state TEXT NOT NULL,
    why TEXT NOT NULL DEFAULT '',
    started_ns INTEGER NOT NULL,
    seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE arms (
    run INTEGER NOT NULL REFERENCES runs(id),
    arm INTEGER NOT NULL,
    role TEXT NOT NULL,
    target TEXT NOT NULL,
    grade TEXT NOT NULL,
    scope TEXT NOT NULL,
    layout_key TEXT NOT NULL,
    provenance TEXT NOT NULL,
    remarks TEXT NOT NULL,
    PRIMARY KEY (run, arm)
) WITHOUT ROWID;
CREATE TABLE batches (
    run INTEGER NOT NULL REFERENCES runs(id),
    replicate INTEGER NOT NULL,
    block INTEGER NOT NULL,
    workload INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    position INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    ops INTEGER NOT NULL,
    elapsed_ns INTEGER NOT NULL,
    ticks INTEGER NOT NULL,
    instructions INTEGER,
    cycles INTEGER,
    branch_misses INTEGER,
    l1i_misses INTEGER,
    PRIMARY KEY (run, replicate, block, workload, arm)
) WITHOUT ROWID;
CREATE TABLE replicates (
    run INTEGER NOT NULL REFERENCES runs(id),
    replicate INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (run, replicate)
) WITHOUT ROWID;
CREATE TABLE counts (
    run INTEGER NOT NULL REFERENCES runs(id),
    arm INTEGER NOT NULL,
    workload INTEGER NOT NULL,
    instructions_per_op REAL NOT NULL,
    loop_instructions REAL NOT NULL,
    exact INTEGER NOT NULL,
    PRIMARY KEY (run, arm, workload)
) WITHOUT ROWID;
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs(id),
    replicate INTEGER,
    arm INTEGER,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    console TEXT NOT NULL
);
CREATE INDEX events_by_run ON events(run);
)";

/// Version 2: which process measures a run, so that one whose process was killed is told from one
/// that is being measured.
constexpr const char* owners = R"(
ALTER TABLE runs ADD COLUMN owner_pid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN owner_boot_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN owner_start_ticks INTEGER NOT NULL DEFAULT 0;
)";

/// Version 3: what was recorded of the paths. The functions of a change's path are those of both
/// paths, in path order.
constexpr const char* paths = R"(
CREATE TABLE paths (
    run INTEGER NOT NULL REFERENCES runs(id),
    arm INTEGER NOT NULL,
    workload INTEGER NOT NULL,
    call INTEGER NOT NULL,
    calls_per_op INTEGER NOT NULL,
    instructions INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    returns INTEGER NOT NULL,
    branches INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    indirect INTEGER NOT NULL,
    loads INTEGER NOT NULL,
    stores INTEGER NOT NULL,
    atomics INTEGER NOT NULL,
    barriers INTEGER NOT NULL,
    code_lines INTEGER NOT NULL,
    data_lines INTEGER NOT NULL,
    code_bytes INTEGER NOT NULL,
    specials TEXT NOT NULL,
    sections_text_bytes INTEGER,
    sections_rodata_bytes INTEGER,
    labels_text_bytes INTEGER,
    labels_rodata_bytes INTEGER,
    remarks TEXT NOT NULL,
    PRIMARY KEY (run, arm, workload)
) WITHOUT ROWID;
CREATE TABLE path_functions (
    run INTEGER NOT NULL,
    arm INTEGER NOT NULL,
    workload INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    fate TEXT NOT NULL,
    held_by TEXT NOT NULL,
    base_instructions INTEGER NOT NULL,
    change_instructions INTEGER NOT NULL,
    base_bytes INTEGER,
    change_bytes INTEGER,
    PRIMARY KEY (run, arm, workload, position),
    FOREIGN KEY (run, arm, workload) REFERENCES paths(run, arm, workload)
) WITHOUT ROWID;
)";

/// migrations[v] makes a file of version v one of version v + 1.
constexpr std::array migrations{tables, owners, paths};
constexpr auto newest = static_cast<std::int64_t>(migrations.size());

/// What the file says of itself, read as of one moment: another kerntoll may be making it.
struct Marks {
    std::int64_t application = 0;
    std::int64_t version = 0;
    std::int64_t tables = 0;
};

Result<void> check(const Database& database, const Marks& marks) {
    const std::string file = database.path().string();
    if (marks.application != application_id && (marks.application != 0 || marks.tables > 0)) {
        return fail(Fault::store,
                    fmt::format("{} is an SQLite database, but not a results file of kerntoll; "
                                "name another file with --db",
                                file));
    }
    if (marks.version > newest) {
        return fail(Fault::store,
                    fmt::format("the results file {} has schema version {}, written by a newer "
                                "kerntoll; this one knows versions up to {}: use the newer "
                                "kerntoll, or name another file with --db",
                                file, marks.version, newest));
    }
    if (marks.version < newest && database.read_only()) {
        return fail(Fault::store,
                    fmt::format("the results file {} has schema version {} and must be brought to "
                                "version {}, but it cannot be written; make a copy that can, and "
                                "name it with --db",
                                file, marks.version, newest));
    }
    return {};
}

Result<Marks> read_marks(const Database& database) {
    auto snapshot = Transaction::begin(database, Transaction::Kind::reading);
    if (!snapshot) {
        return std::unexpected(snapshot.error());
    }
    Marks marks;
    const std::pair<std::int64_t*, const char*> questions[] = {
        {&marks.application, "PRAGMA application_id"},
        {&marks.version, "PRAGMA user_version"},
        {&marks.tables, "SELECT count(*) FROM sqlite_schema"},
    };
    for (const auto& [mark, question] : questions) {
        auto answer = database.number(question);
        if (!answer) {
            return std::unexpected(answer.error());
        }
        *mark = *answer;
    }
    return marks;
}

}  // namespace

Result<void> bring_up_to_date(const Database& database) {
    auto marks = read_marks(database);
    if (!marks) {
        return std::unexpected(marks.error());
    }
    if (auto known = check(database, *marks); !known) {
        return known;
    }
    if (marks->version == newest) {
        return {};
    }
    auto transaction = Transaction::begin(database, Transaction::Kind::writing);
    if (!transaction) {
        return std::unexpected(transaction.error());
    }
    // Asked again inside: another kerntoll may have done it while this one waited.
    auto version = database.number("PRAGMA user_version");
    if (!version) {
        return std::unexpected(version.error());
    }
    if (*version >= newest) {
        return {};
    }
    for (auto step = *version; step < newest; ++step) {
        if (auto done = database.execute(migrations[static_cast<std::size_t>(step)]); !done) {
            return done;
        }
    }
    if (auto marked = database.execute(fmt::format(
            "PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, newest));
        !marked) {
        return marked;
    }
    return transaction->commit();
}

}  // namespace kerntoll::lab::store
