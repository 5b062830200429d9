// SPDX-License-Identifier: MIT
// The results file: every run, with every batch as it was measured. One SQLite file that several
// kerntolls can use at the same time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "lab/store/records.hpp"

namespace kerntoll::lab::store {

class Database;

/// `read`: the file must be there (it may lie on read-only media). `write`: made where it is not.
enum class OpenMode { read, write };

/// $XDG_DATA_HOME/kerntoll/results.db, or ~/.local/share/kerntoll/results.db (XDG Base Directory
/// Specification 0.8). An error where neither variable is of use.
[[nodiscard]] Result<std::filesystem::path> default_path();

/// An open results file. Not for several threads at once. A copy is another handle on the same
/// connection, which closes with the last handle or sink.
class Store {
public:
    /// Opens a results file, makes it and its directories where they are missing (OpenMode::write),
    /// and brings an older schema up to date. Every fault is one sentence with Fault::store.
    [[nodiscard]] static Result<Store> open(const std::filesystem::path& path, OpenMode mode);

    [[nodiscard]] const std::filesystem::path& path() const;

    /// Stores what is asked for, as a run that this process measures from now on.
    [[nodiscard]] Result<RunId> begin_run(const RunRecord& run);
    /// Where that run's batches go. Each is committed before the call returns. A sink that is
    /// destroyed without finish() leaves its run `interrupted`.
    [[nodiscard]] Result<std::unique_ptr<Sink>> sink(RunId id);
    /// Goes on with a run that has stopped: sets it to `running`, notes a "resumed" event and
    /// returns its sink. `limits` take the place of the run's own. Refused while another process
    /// still measures it. What a killed session left of a replicate stays, but does not count;
    /// begin with next_replicate().
    [[nodiscard]] Result<std::unique_ptr<Sink>> reopen(RunId id, const Limits& limits = {});
    /// The first number that no replicate of this run, complete or not, has had.
    [[nodiscard]] Result<std::uint32_t> next_replicate(RunId id) const;

    /// Everything of a run but its batches. A run whose process died reads as `interrupted`.
    [[nodiscard]] Result<StoredRun> load(RunId id) const;
    /// All batches of complete replicates in the order replicate, block, workload, arm; one at a
    /// time, so that a run of any length takes no memory.
    [[nodiscard]] Result<void> for_each_batch(
        RunId id, const std::function<void(const BatchRecord&)>& visit) const;
    /// The same with the batches of replicates that were cut short, and whether each one counts.
    [[nodiscard]] Result<void> for_every_batch(
        RunId id, const std::function<void(const BatchRecord&, bool complete)>& visit) const;
    /// All runs, the oldest first.
    [[nodiscard]] Result<std::vector<RunSummary>> list() const;

private:
    explicit Store(std::shared_ptr<Database> database) : database_(std::move(database)) {}
    std::shared_ptr<Database> database_;
};

}  // namespace kerntoll::lab::store
