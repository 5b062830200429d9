// SPDX-License-Identifier: MIT
// How a run is read back.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "lab/store/database.hpp"
#include "lab/store/state.hpp"
#include "lab/store/store.hpp"
#include "lab/store/text.hpp"

namespace kerntoll::lab::store {
namespace {

/// Runs a query about one run and hands over every row.
template <class Visit>
Result<void> each_row(const Database& database, std::string_view sql, RunId id, Visit visit) {
    auto rows = database.prepare(sql);
    if (!rows) {
        return std::unexpected(rows.error());
    }
    rows->bind(id);
    for (;;) {
        auto row = rows->step();
        if (!row) {
            return std::unexpected(row.error());
        }
        if (!*row) {
            return {};
        }
        visit(*rows);
    }
}

std::uint32_t index_at(const Statement& row, int column) {
    return static_cast<std::uint32_t>(row.integer(column));
}

std::optional<std::uint32_t> index_or_none(const Statement& row, int column) {
    return row.null(column) ? std::nullopt : std::optional(index_at(row, column));
}

std::optional<std::uint64_t> counter_at(const Statement& row, int column) {
    return row.null(column) ? std::nullopt : std::optional(row.unsigned_integer(column));
}

Result<void> load_arms(const Database& database, StoredRun& run) {
    std::optional<Error> damage;
    auto loaded = each_row(
        database,
        "SELECT arm, role, target, grade, scope, layout_key, provenance, remarks FROM arms WHERE "
        "run = ? ORDER BY arm",
        run.id, [&](const Statement& row) {
            const auto role = from_name(
                row.text(1), std::array{Role::base, Role::change, Role::control, Role::placebo});
            const auto grade = from_name(
                row.text(3),
                std::array{Grade::hardware, Grade::virtualised, Grade::emulated, Grade::simulated});
            const auto scope = from_name(row.text(4), std::array{Scope::layouts, Scope::images});
            if (!role || !grade || !scope) {
                damage = Error{
                    Fault::store,
                    fmt::format("arm {} of run {} in {} has role `{}`, grade `{}` and scope `{}`, "
                                "not all of which are known; the file is damaged",
                                row.integer(0), run.id, database.path().string(), row.text(1),
                                row.text(3), row.text(4)),
                    {}};
                return;
            }
            run.run.arms.push_back({index_at(row, 0), *role, row.text(2), *grade, *scope,
                                    row.text(5), facts_from_text(row.text(6)),
                                    list_from_text(row.text(7))});
        });
    if (loaded && damage) {
        return std::unexpected(*damage);
    }
    return loaded;
}

Result<void> load_counts(const Database& database, StoredRun& run) {
    return each_row(
        database,
        "SELECT arm, workload, instructions_per_op, loop_instructions, exact FROM counts WHERE run "
        "= ? ORDER BY workload, arm",
        run.id, [&](const Statement& row) {
            run.counts.push_back({index_at(row, 0), index_at(row, 1), row.real(2), row.real(3),
                                  row.integer(4) != 0});
        });
}

std::optional<ImageSize> size_at(const Statement& row, int column) {
    if (row.null(column) || row.null(column + 1)) {
        return std::nullopt;
    }
    return ImageSize{row.unsigned_integer(column), row.unsigned_integer(column + 1)};
}

Result<void> load_paths(const Database& database, StoredRun& run) {
    auto loaded = each_row(
        database,
        "SELECT arm, workload, call, calls_per_op, instructions, calls, returns, branches, taken, "
        "indirect, loads, stores, atomics, barriers, code_lines, data_lines, code_bytes, specials, "
        "sections_text_bytes, sections_rodata_bytes, labels_text_bytes, labels_rodata_bytes, "
        "remarks FROM paths WHERE run = ? ORDER BY workload, arm",
        run.id, [&](const Statement& row) {
            PathRecord path{.arm = index_at(row, 0),
                            .workload = index_at(row, 1),
                            .call = index_at(row, 2),
                            .calls_per_op = index_at(row, 3),
                            .counts = {},
                            .image = {size_at(row, 18), size_at(row, 20)},
                            .functions = {},
                            .remarks = list_from_text(row.text(22))};
            int column = 4;
            for (const Quantity& quantity : quantities()) {  // the columns stand in their order
                path.counts.*quantity.count = row.unsigned_integer(column++);
            }
            path.counts.specials = numbers_from_text(row.text(17));
            run.paths.push_back(std::move(path));
        });
    if (!loaded) {
        return loaded;
    }
    constexpr std::array fates{Fate::unchanged, Fate::changed, Fate::gone,
                               Fate::appeared,  Fate::inlined, Fate::moved};
    return each_row(
        database,
        "SELECT arm, workload, name, fate, held_by, base_instructions, change_instructions, "
        "base_bytes, change_bytes FROM path_functions WHERE run = ? ORDER BY workload, arm, "
        "position",
        run.id, [&](const Statement& row) {
            for (PathRecord& path : run.paths) {
                if (path.arm == index_at(row, 0) && path.workload == index_at(row, 1)) {
                    path.functions.push_back(
                        {row.text(2), from_name(row.text(3), fates).value_or(Fate::changed),
                         row.text(4), row.unsigned_integer(5), row.unsigned_integer(6),
                         counter_at(row, 7), counter_at(row, 8)});
                }
            }
        });
}

Result<void> load_events(const Database& database, StoredRun& run) {
    return each_row(
        database,
        "SELECT replicate, arm, kind, text, console FROM events WHERE run = ? ORDER BY id", run.id,
        [&](const Statement& row) {
            run.events.push_back({index_or_none(row, 0), index_or_none(row, 1), row.text(2),
                                  row.text(3), list_from_text(row.text(4))});
        });
}

}  // namespace

State true_state(std::string_view stored, std::string why, const Owner& owner) {
    constexpr std::array all{RunState::running, RunState::finished, RunState::interrupted,
                             RunState::failed};
    const auto state = from_name(stored, all).value_or(RunState::failed);
    if (state == RunState::running && !alive(owner)) {
        return {RunState::interrupted, "killed while it was measuring"};
    }
    return {state, std::move(why)};
}

Owner owner_at(const Statement& row, int column) {
    return {row.integer(column), row.text(column + 1), row.unsigned_integer(column + 2)};
}

Error no_such_run(const std::filesystem::path& path, RunId id) {
    return {Fault::usage,
            fmt::format("there is no run {} in {}; `kerntoll runs` lists those there are", id,
                        path.string()),
            {}};
}

Result<StoredRun> Store::load(RunId id) const {
    StoredRun stored;
    stored.id = id;
    std::error_code ignored;  // without a working directory the path stays as it was given
    stored.file = std::filesystem::absolute(path(), ignored);
    bool found = false;
    auto loaded = each_row(
        *database_,
        "SELECT command, argv, workloads, seed, margin, precision, max_seconds, batch_seconds, "
        "blocks, least_replicates, most_replicates, version, environment, started_ns, seconds, "
        "state, why, owner_pid, owner_boot_id, owner_start_ticks FROM runs WHERE id = ?",
        id, [&](const Statement& row) {
            found = true;
            RunRecord& run = stored.run;
            run.command = row.text(0);
            run.argv = list_from_text(row.text(1));
            run.workloads = list_from_text(row.text(2));
            run.seed = row.unsigned_integer(3);
            run.margin = row.real(4);
            run.precision = row.real(5);
            run.max_seconds = row.real(6);
            run.batch_seconds = row.real(7);
            run.blocks = index_at(row, 8);
            run.least_replicates = index_at(row, 9);
            run.most_replicates = index_at(row, 10);
            run.version = row.text(11);
            run.environment = facts_from_text(row.text(12));
            stored.started_ns = row.integer(13);
            stored.seconds = row.real(14);
            const State state = true_state(row.text(15), row.text(16), owner_at(row, 17));
            stored.state = state.state;
            stored.why = state.why;
        });
    if (loaded && !found) {
        return std::unexpected(no_such_run(path(), id));
    }
    for (auto* part : {&load_arms, &load_counts, &load_paths, &load_events}) {
        if (loaded) {
            loaded = part(*database_, stored);
        }
    }
    if (!loaded) {
        return std::unexpected(loaded.error());
    }
    return stored;
}

Result<void> Store::for_every_batch(
    RunId id, const std::function<void(const BatchRecord&, bool complete)>& visit) const {
    std::vector<bool> complete;
    auto marked =
        each_row(*database_, "SELECT replicate FROM replicates WHERE run = ? ORDER BY replicate",
                 id, [&](const Statement& row) {
                     complete.resize(static_cast<std::size_t>(row.integer(0)) + 1);
                     complete.back() = true;
                 });
    if (!marked) {
        return marked;
    }
    return each_row(*database_,
                    "SELECT replicate, block, position, arm, workload, at_ns, ops, elapsed_ns, "
                    "ticks, instructions, cycles, branch_misses, l1i_misses FROM batches WHERE run "
                    "= ? ORDER BY replicate, block, workload, arm",
                    id, [&](const Statement& row) {
                        BatchRecord batch;
                        batch.replicate = index_at(row, 0);
                        batch.block = index_at(row, 1);
                        batch.position = index_at(row, 2);
                        batch.arm = index_at(row, 3);
                        batch.workload = index_at(row, 4);
                        batch.at_ns = row.integer(5);
                        batch.sample = {row.unsigned_integer(6),
                                        row.unsigned_integer(7),
                                        row.unsigned_integer(8),
                                        {counter_at(row, 9), counter_at(row, 10),
                                         counter_at(row, 11), counter_at(row, 12)}};
                        visit(batch,
                              batch.replicate < complete.size() && complete[batch.replicate]);
                    });
}

Result<void> Store::for_each_batch(RunId id,
                                   const std::function<void(const BatchRecord&)>& visit) const {
    return for_every_batch(id, [&](const BatchRecord& batch, bool complete) {
        if (complete) {
            visit(batch);
        }
    });
}

Result<std::uint32_t> Store::next_replicate(RunId id) const {
    // A "resumed" event names a replicate that may never have begun.
    auto row = database_->prepare(
        "SELECT 1 + max("
        "coalesce((SELECT max(replicate) FROM batches WHERE run = ?1), -1),"
        "coalesce((SELECT max(replicate) FROM replicates WHERE run = ?1), -1),"
        "coalesce((SELECT max(replicate) FROM events WHERE run = ?1 AND kind <> 'resumed'), -1))");
    if (!row) {
        return std::unexpected(row.error());
    }
    row->bind(id);
    if (auto stepped = row->step(); !stepped) {
        return std::unexpected(stepped.error());
    }
    return index_at(*row, 0);
}

Result<std::vector<RunSummary>> Store::list() const {
    std::vector<RunSummary> runs;
    auto listed = each_row(
        *database_,
        "SELECT id, command, workloads, state, started_ns, seconds, owner_pid, owner_boot_id, "
        "owner_start_ticks, (SELECT count(*) FROM replicates WHERE run = runs.id) FROM runs WHERE "
        "id >= ? ORDER BY id",
        0, [&](const Statement& row) {
            RunSummary run;
            run.id = row.integer(0);
            run.command = row.text(1);
            run.workloads = list_from_text(row.text(2));
            run.state = true_state(row.text(3), {}, owner_at(row, 6)).state;
            run.started_ns = row.integer(4);
            run.seconds = row.real(5);
            run.replicates = static_cast<std::size_t>(row.integer(9));
            runs.push_back(std::move(run));
        });
    for (RunSummary& run : runs) {
        if (listed) {
            listed =
                each_row(*database_,
                         "SELECT target FROM arms WHERE run = ? AND role IN ('base', "
                         "'change') ORDER BY arm",
                         run.id, [&](const Statement& row) { run.targets.push_back(row.text(0)); });
        }
    }
    if (!listed) {
        return std::unexpected(listed.error());
    }
    return runs;
}

}  // namespace kerntoll::lab::store
