// SPDX-License-Identifier: MIT
// What a run says: everything that its tables show, worked out anew from its stored batches. Pure
// numbers and names; render.hpp makes text of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/stats/stats.hpp"
#include "lab/store/store.hpp"

namespace kerntoll::lab::report {

/// Hardware counters per op, kernel side only: medians over replicates. What the machine's counters
/// did not give stays empty.
struct CounterFigures {
    std::optional<double> instructions;
    std::optional<double> cycles;
    std::optional<double> branch_misses;
    std::optional<double> l1i_misses;
    [[nodiscard]] bool any() const { return instructions || cycles || branch_misses || l1i_misses; }
};

/// One arm's figures for one workload.
struct Figures {
    std::uint32_t arm = 0;
    std::optional<store::CountRecord> count;  ///< instructions per op, exact under emulation
    std::optional<store::PathRecord> path;    ///< of one call, of base and changes
    std::optional<double> ns_per_op;          ///< centre over replicates
    stats::Interval ns_interval;              ///< its 95 % interval; infinite without one
    std::optional<double> ticks_per_op;       ///< where the counter resolves a batch to 0.1 %
    CounterFigures counters;
    std::vector<double> times;       ///< ns per op of each complete replicate
    std::vector<stats::Mode> modes;  ///< groups that the times fall into, if they do
};

/// What it would take to reach the precision asked for.
struct Outlook {
    std::size_t replicates = 0;  ///< in all
    double seconds = 0;          ///< in all, at the pace so far
};

/// A placebo arm beside one row.
struct Placebo {
    std::uint32_t arm = 0;
    stats::Estimate estimate;
    std::optional<store::CountRecord> count;
};

/// One comparison: a workload of one change against the base. Effects are log-ratios.
struct Row {
    std::uint32_t workload = 0;
    Figures base;
    Figures change;
    stats::Estimate estimate;
    std::optional<stats::Estimate> control;  ///< the base against itself
    std::vector<Placebo> placebos;
    double adjusted_p = 1;
    std::optional<bool> equal_counts;
    stats::Decision decision;
    Scope scope = Scope::images;
    Grade grade = Grade::hardware;  ///< the weaker of the two arms'
    std::optional<double> between_share;
    double smallest_detectable = 0;
    std::optional<Outlook> outlook;  ///< where the precision asked for was not reached
    std::vector<double> effects;     ///< of each replicate
};

/// A run and what it says.
struct Report {
    store::StoredRun run;
    std::size_t replicates = 0;    ///< complete ones
    std::vector<Row> rows;         ///< of a comparison: workloads, and within them changes
    std::vector<Figures> figures;  ///< of every arm: [workload * arms + arm]
    [[nodiscard]] const Figures& of(std::size_t workload, std::size_t arm) const {
        return figures[workload * run.run.arms.size() + arm];
    }
};

/// Reads a run's batches once and works out its report. Fails only where the store does.
[[nodiscard]] Result<Report> analyse(const store::Store& store, store::RunId id);

}  // namespace kerntoll::lab::report
