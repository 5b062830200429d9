// SPDX-License-Identifier: MIT
// What is stored of a run, and the sink that an experiment writes it to while it measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/store/path.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::store {

using RunId = std::int64_t;

enum class Role { base, change, control, placebo };
[[nodiscard]] std::string_view name(Role role);

/// One arm of a run. `index` is the arm's column everywhere; base is 0.
struct ArmRecord {
    std::uint32_t index = 0;
    Role role = Role::base;
    std::string target;  ///< as given
    Grade grade = Grade::hardware;
    Scope scope = Scope::images;
    std::string layout_key;
    Provenance provenance;
    std::vector<std::string> remarks;
};

/// What was asked for: enough to go on with the run after a crash.
struct RunRecord {
    std::string command;  ///< compare, run or count
    std::vector<std::string> argv;
    std::vector<std::string> workloads;
    std::uint64_t seed = 0;
    double margin = 0.005;         ///< log-ratio
    double precision = 0.005 / 3;  ///< log-ratio
    double max_seconds = 120;
    double batch_seconds = 0.02;
    std::uint32_t blocks = 8;
    std::uint32_t least_replicates = 20;
    std::uint32_t most_replicates = 0;  ///< 0: no limit
    std::string version;                ///< of kerntoll
    Provenance environment;             ///< of the machine that the lab runs on
    std::vector<ArmRecord> arms;
};

/// What may be changed of a run when it goes on.
struct Limits {
    std::optional<double> max_seconds;
    std::optional<double> precision;  ///< log-ratio
};

/// One batch. ns/op is elapsed_ns / ops; nothing is averaged at capture time.
struct BatchRecord {
    std::uint32_t replicate = 0;
    std::uint32_t block = 0;
    std::uint32_t position = 0;  ///< of the arm in the block's random order
    std::uint32_t arm = 0;
    std::uint32_t workload = 0;  ///< index into RunRecord::workloads
    std::int64_t at_ns = 0;      ///< CLOCK_REALTIME of the lab when the batch ended
    Sample sample;
};

/// Instructions of one arm's workload, exact under emulation.
struct CountRecord {
    std::uint32_t arm = 0;
    std::uint32_t workload = 0;
    double instructions_per_op = 0;  ///< whole path and user loop together
    double loop_instructions = 0;    ///< the user loop, trap instruction included
    bool exact = true;               ///< the same in every batch; otherwise the smallest seen
};

/// A replicate that did not come to its end, or anything else that the report must mention.
struct EventRecord {
    std::optional<std::uint32_t> replicate;
    std::optional<std::uint32_t> arm;
    std::string kind;  ///< "fault", "interrupted", "resumed", "proof", "path", …
    std::string text;
    std::vector<std::string> console;
};

enum class RunState { running, finished, interrupted, failed };
[[nodiscard]] std::string_view name(RunState state);

/// Where an experiment writes what it measures, as it measures it.
class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;
    [[nodiscard]] virtual Result<void> batch(const BatchRecord& batch) = 0;
    [[nodiscard]] virtual Result<void> count(const CountRecord& count) = 0;
    /// Takes the place of an earlier path of that arm and workload.
    [[nodiscard]] virtual Result<void> path(const PathRecord& path) = 0;
    [[nodiscard]] virtual Result<void> event(const EventRecord& event) = 0;
    /// All batches of this replicate are in: it counts from now on.
    [[nodiscard]] virtual Result<void> replicate_done(std::uint32_t replicate,
                                                      double seconds_so_far) = 0;
    [[nodiscard]] virtual Result<void> finish(RunState state, const std::string& why) = 0;
};

/// A run as it is read back, without its batches: those are streamed (there may be millions).
struct StoredRun {
    RunId id = 0;
    std::filesystem::path file;  ///< absolute: the results file that it was read from
    RunRecord run;
    RunState state = RunState::running;
    std::string why;
    std::int64_t started_ns = 0;
    double seconds = 0;  ///< measuring time used so far
    std::vector<CountRecord> counts;
    std::vector<PathRecord> paths;
    std::vector<EventRecord> events;
};

/// One line of the list of runs.
struct RunSummary {
    RunId id = 0;
    std::string command;
    std::vector<std::string> targets;  ///< of base and changes, in their order
    std::vector<std::string> workloads;
    RunState state = RunState::running;
    std::int64_t started_ns = 0;
    double seconds = 0;
    std::size_t replicates = 0;  ///< complete ones
};

}  // namespace kerntoll::lab::store
