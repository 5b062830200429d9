// SPDX-License-Identifier: MIT
#include "lab/store/store.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "lab/store/database.hpp"
#include "lab/store/owner.hpp"
#include "lab/store/schema.hpp"
#include "lab/store/sink.hpp"
#include "lab/store/state.hpp"
#include "lab/store/text.hpp"

namespace kerntoll::lab::store {
namespace {

namespace fs = std::filesystem;

/// Says what stands at a path that cannot be a results file, or makes the way to it.
Result<void> prepare_path(const fs::path& path, OpenMode mode) {
    if (path.empty() || path == ":memory:") {  // SQLite would keep it until the run ends only
        return fail(Fault::usage, fmt::format("'{}' names no results file that outlives the run; "
                                              "name a file with --db",
                                              path.string()));
    }
    std::error_code trouble;
    const fs::file_status status = fs::status(path, trouble);
    if (fs::is_directory(status)) {
        return fail(Fault::store, fmt::format("the results file {} is a directory; name a file in "
                                              "it with --db",
                                              path.string()));
    }
    if (fs::exists(status)) {
        if (!fs::is_regular_file(status)) {
            return fail(Fault::store,
                        fmt::format("the results file {} is not a regular file; name another with "
                                    "--db",
                                    path.string()));
        }
        return {};
    }
    if (status.type() == fs::file_type::none) {  // cannot even be looked at
        return fail(Fault::store,
                    fmt::format("the results file {} cannot be reached ({}); name another with "
                                "--db",
                                path.string(), trouble.message()));
    }
    if (mode == OpenMode::read) {
        return fail(Fault::store,
                    fmt::format("there is no results file {}; measure something first, or name "
                                "another with --db",
                                path.string()));
    }
    if (path.has_parent_path()) {
        fs::create_directories(path.parent_path(), trouble);
        if (trouble) {
            return fail(Fault::store,
                        fmt::format("the directory {} for the results file cannot be made ({}); "
                                    "name another file with --db",
                                    path.parent_path().string(), trouble.message()));
        }
    }
    return {};
}

/// Opens for reading what lies on media where SQLite cannot even put its lock beside the file.
Result<Database> open_to_read(const fs::path& path) {
    auto database = Database::open(path, Access::read_if_must);
    if (!database || database->number("PRAGMA user_version")) {
        return database;
    }
    std::error_code ignored;
    const auto pending = fs::file_size(path.string() + "-wal", ignored);
    if (!ignored && pending > 0) {  // others' latest batches would be missing
        return database;
    }
    auto immutable = Database::open(path, Access::immutable);
    return immutable && immutable->number("PRAGMA user_version") ? std::move(immutable)
                                                                 : std::move(database);
}

/// What writers rely on. A commit is not synced to the disk: a process that is killed loses
/// nothing, a machine that loses power at most the last batches.
constexpr const char* settings = R"(
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
)";

std::int64_t realtime_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Result<fs::path> default_path() {
    // The specification says that a path which is not absolute is to be ignored.
    const auto absolute = [](const char* variable) -> std::optional<fs::path> {
        const char* value = std::getenv(variable);
        return value != nullptr && fs::path(value).is_absolute() ? std::optional<fs::path>(value)
                                                                 : std::nullopt;
    };
    if (const auto data = absolute("XDG_DATA_HOME")) {
        return *data / "kerntoll" / "results.db";
    }
    if (const auto home = absolute("HOME")) {
        return *home / ".local" / "share" / "kerntoll" / "results.db";
    }
    return fail(Fault::environment,
                "neither XDG_DATA_HOME nor HOME says where results are kept; name a file with "
                "--db");
}

Result<Store> Store::open(const fs::path& path, OpenMode mode) {
    if (auto prepared = prepare_path(path, mode); !prepared) {
        return std::unexpected(prepared.error());
    }
    auto database =
        mode == OpenMode::read ? open_to_read(path) : Database::open(path, Access::write);
    if (!database) {
        return std::unexpected(database.error());
    }
    if (auto current = bring_up_to_date(*database); !current) {
        return std::unexpected(current.error());
    }
    if (!database->read_only()) {
        auto set = database->use_write_ahead_log();
        if (set) {
            set = database->execute(settings);
        }
        if (!set) {
            return std::unexpected(set.error());
        }
    } else if (mode == OpenMode::write) {
        return fail(Fault::store,
                    fmt::format("the results file {} cannot be written (it is read-only); name "
                                "another with --db",
                                path.string()));
    }
    return Store(std::make_shared<Database>(*std::move(database)));
}

const fs::path& Store::path() const {
    return database_->path();
}

Result<RunId> Store::begin_run(const RunRecord& run) {
    auto transaction = Transaction::begin(*database_, Transaction::Kind::writing);
    if (!transaction) {
        return std::unexpected(transaction.error());
    }
    auto insert = database_->prepare(
        "INSERT INTO runs (command, argv, workloads, seed, margin, precision, max_seconds, "
        "batch_seconds, blocks, least_replicates, most_replicates, version, environment, state, "
        "started_ns, owner_pid, owner_boot_id, owner_start_ticks) "
        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (!insert) {
        return std::unexpected(insert.error());
    }
    const Owner owner = this_process();
    if (auto done = insert->run(run.command, to_text(run.argv), to_text(run.workloads), run.seed,
                                run.margin, run.precision, run.max_seconds, run.batch_seconds,
                                run.blocks, run.least_replicates, run.most_replicates, run.version,
                                to_text(run.environment), name(RunState::running), realtime_ns(),
                                owner.pid, owner.boot_id, owner.start_ticks);
        !done) {
        return std::unexpected(done.error());
    }
    const RunId id = database_->last_id();
    auto insert_arm = database_->prepare("INSERT INTO arms VALUES (?,?,?,?,?,?,?,?,?)");
    if (!insert_arm) {
        return std::unexpected(insert_arm.error());
    }
    for (const ArmRecord& arm : run.arms) {
        if (auto done = insert_arm->run(id, arm.index, name(arm.role), arm.target, name(arm.grade),
                                        name(arm.scope), arm.layout_key, to_text(arm.provenance),
                                        to_text(arm.remarks));
            !done) {
            return std::unexpected(done.error());
        }
    }
    if (auto committed = transaction->commit(); !committed) {
        return std::unexpected(committed.error());
    }
    return id;
}

Result<std::unique_ptr<Sink>> Store::sink(RunId id) {
    return make_sink(database_, id);
}

Result<std::unique_ptr<Sink>> Store::reopen(RunId id, const Limits& limits) {
    auto transaction = Transaction::begin(*database_, Transaction::Kind::writing);
    if (!transaction) {
        return std::unexpected(transaction.error());
    }
    auto owner_row = database_->prepare(
        "SELECT state, owner_pid, owner_boot_id, owner_start_ticks FROM runs WHERE id = ?");
    if (!owner_row) {
        return std::unexpected(owner_row.error());
    }
    owner_row->bind(id);
    auto row = owner_row->step();
    if (!row) {
        return std::unexpected(row.error());
    }
    if (!*row) {
        return std::unexpected(no_such_run(path(), id));
    }
    const Owner owner = owner_at(*owner_row, 1);
    if (true_state(owner_row->text(0), {}, owner).state == RunState::running) {
        return fail(Fault::usage,
                    fmt::format("run {} is being measured by process {}; wait for it to end, or "
                                "stop it, before the run can go on",
                                id, owner.pid));
    }
    auto update = database_->prepare(
        "UPDATE runs SET state = ?, why = '', owner_pid = ?, owner_boot_id = ?, "
        "owner_start_ticks = ?, max_seconds = coalesce(?, max_seconds), "
        "precision = coalesce(?, precision) WHERE id = ?");
    if (!update) {
        return std::unexpected(update.error());
    }
    const Owner self = this_process();
    if (auto done = update->run(name(RunState::running), self.pid, self.boot_id, self.start_ticks,
                                limits.max_seconds, limits.precision, id);
        !done) {
        return std::unexpected(done.error());
    }
    auto next = next_replicate(id);
    if (!next) {
        return std::unexpected(next.error());
    }
    auto sink = make_sink(database_, id);
    if (!sink) {
        return std::unexpected(sink.error());
    }
    if (auto noted = (*sink)->event(
            {*next, std::nullopt, "resumed", fmt::format("went on with replicate {}", *next), {}});
        !noted) {
        return std::unexpected(noted.error());
    }
    if (auto committed = transaction->commit(); !committed) {
        return std::unexpected(committed.error());
    }
    return sink;
}

}  // namespace kerntoll::lab::store
