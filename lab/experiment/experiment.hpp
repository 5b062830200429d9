// SPDX-License-Identifier: MIT
// The experiment: brings replicates up, runs blocks in random order, one arm at a time, writes
// every batch down as it arrives, and stops on precision or when the time is out (docs/design.md,
// Measuring).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/stats/series.hpp"
#include "lab/stats/stats.hpp"
#include "lab/store/records.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::experiment {

/// One arm with the target that its machines are launched from.
struct Arm {
    store::Role role = store::Role::base;
    std::shared_ptr<Target> target;  ///< base and control share one
};

/// The arms of a comparison in their columns: base 0, control 1, then changes, then placebos. With
/// no change (`kerntoll run`) the base stands alone.
[[nodiscard]] std::vector<Arm> arrange(std::shared_ptr<Target> base,
                                       std::vector<std::shared_ptr<Target>> changes,
                                       std::vector<std::shared_ptr<Target>> placebos);

/// What is asked of the experiment. The numbers are store::RunRecord's; durations are measured by
/// `now`, so that simulated machines run on simulated time.
struct Plan {
    store::RunRecord record;
    std::vector<Arm> arms;
    int cpu = -1;                       ///< CPU that all arms are pinned to; -1: none
    std::uint32_t first_replicate = 0;  ///< not 0 when a run is resumed
    double seconds_before = 0;          ///< measuring time that earlier sessions of this run used
    std::function<std::chrono::nanoseconds()> now;  ///< monotonic
};

/// Where the experiment stands, for a progress line.
struct Progress {
    std::size_t replicates = 0;    ///< complete
    double seconds = 0;            ///< of record.max_seconds
    double widest_half_width = 0;  ///< over all rows, log-ratio; infinite before there is one
};

/// How it ended.
struct Outcome {
    store::RunState state = store::RunState::finished;
    std::string why;  ///< "precision reached", "time is out", …
    std::size_t replicates = 0;
    double seconds = 0;             ///< measuring time in all, earlier sessions included
    double seconds_up = 0;          ///< wall time with the machines up
    double seconds_in_batches = 0;  ///< of which inside batches
};

/// Runs it. Rows of `series` that are there already (a resumed run) count. A replicate in which a
/// machine fails is reported to the sink as an event and replaced; when several in a row fail, when
/// the time is out before any came to its end, or when the fault is one that no other replicate can
/// be free of (Fault::usage, Fault::environment), the experiment ends with that machine's error. On
/// interruption the outcome's state says so and everything measured is in the sink.
[[nodiscard]] Result<Outcome> run_experiment(const Plan& plan, stats::Series& series,
                                             store::Sink& sink,
                                             const std::function<void(const Progress&)>& progress);

}  // namespace kerntoll::lab::experiment
