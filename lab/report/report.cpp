// SPDX-License-Identifier: MIT
#include "lab/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/report/batch_medians.hpp"
#include "lab/stats/series.hpp"

namespace kerntoll::lab::report {
namespace {

using store::ArmRecord;
using store::BatchRecord;
using store::Role;

/// A counter of which a batch has fewer ticks than this does not resolve it to 0.1 %.
constexpr std::uint64_t resolving_ticks = 1000;

/// What one arm and workload has beside its times.
struct Cell {
    BatchMedians ticks;
    BatchMedians instructions;
    BatchMedians cycles;
    BatchMedians branch_misses;
    BatchMedians l1i_misses;

    void add(const Sample& sample) {
        ticks.add(sample.ticks, sample.ops);
        const auto add_present = [&](BatchMedians& medians,
                                     const std::optional<std::uint64_t>& amount) {
            if (amount) {
                medians.add(*amount, sample.ops);
            }
        };
        add_present(instructions, sample.counters.instructions);
        add_present(cycles, sample.counters.cycles);
        add_present(branch_misses, sample.counters.branch_misses);
        add_present(l1i_misses, sample.counters.l1i_misses);
    }
    void close() {
        for (auto* each : {&ticks, &instructions, &cycles, &branch_misses, &l1i_misses}) {
            each->close();
        }
    }
};

/// Takes a run's batches one by one, in the order in which the store hands them over.
class Reading {
public:
    explicit Reading(const store::RunRecord& run)
        : arms_(run.arms.size()),
          workloads_(run.workloads.size()),
          series(arms_, workloads_),
          cells(arms_ * workloads_) {}

    void take(const BatchRecord& batch) {
        // A batch without ops or of an arm that the run lacks is damage, not a measurement.
        if (batch.arm >= arms_ || batch.workload >= workloads_ || batch.sample.ops == 0 ||
            batch.sample.elapsed_ns == 0) {
            return;
        }
        if (replicate_ && *replicate_ != batch.replicate) {
            close();
        }
        replicate_ = batch.replicate;
        series.add(
            batch.replicate, batch.arm, batch.workload,
            static_cast<double>(batch.sample.elapsed_ns) / static_cast<double>(batch.sample.ops));
        cells[batch.workload * arms_ + batch.arm].add(batch.sample);
    }
    void close() {
        if (replicate_) {
            series.complete(*replicate_);
            for (Cell& cell : cells) {
                cell.close();
            }
            replicate_.reset();
        }
    }

private:
    std::size_t arms_;
    std::size_t workloads_;
    std::optional<std::uint32_t> replicate_;

public:
    stats::Series series;
    std::vector<Cell> cells;  ///< [workload * arms + arm]
};

/// The one of some records that is of this arm and workload.
template <class Record>
std::optional<Record> find_record(const std::vector<Record>& records, std::uint32_t arm,
                                  std::uint32_t workload) {
    for (const Record& record : records) {
        if (record.arm == arm && record.workload == workload) {
            return record;
        }
    }
    return std::nullopt;
}

/// Centre and interval of times, worked out on their logarithms, where effects live too. One
/// estimate gives both, so that the interval is that of the centre beside it.
stats::Estimate estimate_of(const std::vector<double>& times) {
    std::vector<double> logarithms(times.size());
    std::ranges::transform(times, logarithms.begin(), [](double time) { return std::log(time); });
    return stats::estimate(logarithms);
}

Figures figures_of(const store::StoredRun& run, const Reading& reading, std::uint32_t arm,
                   std::uint32_t workload) {
    const Cell& cell = reading.cells[workload * run.run.arms.size() + arm];
    Figures figures;
    figures.arm = arm;
    figures.count = find_record(run.counts, arm, workload);
    figures.path = find_record(run.paths, arm, workload);
    figures.times = reading.series.times(arm, workload);
    if (!figures.times.empty()) {
        const stats::Estimate estimate = estimate_of(figures.times);
        figures.ns_per_op = std::exp(estimate.effect);
        figures.ns_interval = {std::exp(estimate.interval95.low),
                               std::exp(estimate.interval95.high)};
        figures.modes = stats::modes(figures.times);
    }
    if (cell.ticks.least() >= resolving_ticks) {
        figures.ticks_per_op = cell.ticks.per_op();
    }
    figures.counters = {cell.instructions.per_op(), cell.cycles.per_op(),
                        cell.branch_misses.per_op(), cell.l1i_misses.per_op()};
    return figures;
}

std::optional<bool> equal_counts(const Figures& base, const Figures& change) {
    if (!base.count || !change.count || !base.count->exact || !change.count->exact) {
        return std::nullopt;
    }
    return base.count->instructions_per_op == change.count->instructions_per_op;
}

std::optional<Outlook> outlook(const Report& report, const Row& row) {
    const double precision = report.run.run.precision;
    const std::size_t least = report.run.run.least_replicates;
    if (report.replicates == 0 ||
        stats::precise_enough(std::span(&row.estimate, 1), precision, least)) {
        return std::nullopt;
    }
    const auto needed = stats::replicates_needed(row.estimate, precision, least);
    if (!needed) {
        return std::nullopt;
    }
    const double pace = report.run.seconds / static_cast<double>(report.replicates);
    return Outlook{*needed, static_cast<double>(*needed) * pace};
}

Row row_of(const Report& report, const stats::Series& series, const ArmRecord& change,
           std::uint32_t workload) {
    const auto& arms = report.run.run.arms;
    Row row;
    row.workload = workload;
    row.base = report.of(workload, 0);
    row.change = report.of(workload, change.index);
    row.effects = series.effects(change.index, workload);
    row.estimate = stats::estimate(row.effects);
    for (const ArmRecord& arm : arms) {
        if (arm.role == Role::control) {
            row.control = stats::estimate(series.effects(arm.index, workload));
        } else if (arm.role == Role::placebo) {
            row.placebos.push_back({arm.index, stats::estimate(series.effects(arm.index, workload)),
                                    report.of(workload, arm.index).count});
        }
    }
    row.equal_counts = equal_counts(row.base, row.change);
    row.scope = std::max(arms[0].scope, change.scope);
    row.grade = std::max(arms[0].grade, change.grade);
    row.between_share = stats::between_share(series.differences(change.index, workload));
    row.smallest_detectable = stats::smallest_detectable(row.estimate);
    row.outlook = outlook(report, row);
    return row;
}
// The orders of the enumerations are used above: the weaker claim is the greater value.
static_assert(Scope::images > Scope::layouts);
static_assert(Grade::emulated > Grade::virtualised && Grade::virtualised > Grade::hardware);

/// Replicates that fail are replaced. Where this part of them failed, what is left may be a choice
/// that favours one side: no verdict comes of it.
constexpr double most_failing = 0.25;
constexpr std::ptrdiff_t least_failures = 3;

std::optional<std::string> misbehaviour(const Report& report) {
    const auto failed = std::ranges::count(report.run.events, "fault", &store::EventRecord::kind);
    const auto begun = failed + static_cast<std::ptrdiff_t>(report.replicates);
    if (failed < least_failures ||
        static_cast<double>(failed) <= most_failing * static_cast<double>(begun)) {
        return std::nullopt;
    }
    return fmt::format("{} of {} replicates failed, and what is left may favour one side", failed,
                       begun);
}

/// Whether a placebo executes the base's instructions, or may: what does not is none.
bool may_be_placebo(const Placebo& placebo, const Figures& base) {
    return !base.count || !placebo.count || !base.count->exact || !placebo.count->exact ||
           base.count->instructions_per_op == placebo.count->instructions_per_op;
}

/// Verdicts come last: Holm's correction needs the whole table.
void decide_rows(Report& report) {
    std::vector<double> p_values(report.rows.size());
    std::ranges::transform(report.rows, p_values.begin(),
                           [](const Row& row) { return row.estimate.p_value; });
    const std::vector<double> adjusted = stats::holm(p_values);
    const auto misbehaved = misbehaviour(report);
    for (std::size_t index = 0; index < report.rows.size(); ++index) {
        Row& row = report.rows[index];
        row.adjusted_p = adjusted[index];
        stats::Evidence evidence;
        evidence.change = row.estimate;
        evidence.control = row.control.value_or(stats::Estimate{});
        for (const Placebo& placebo : row.placebos) {
            if (may_be_placebo(placebo, row.base)) {
                evidence.placebos.push_back(placebo.estimate);
            }
        }
        evidence.fixed_images = row.scope == Scope::images;
        evidence.equal_counts = row.equal_counts;
        evidence.adjusted_p = row.adjusted_p;
        evidence.margin = report.run.run.margin;
        evidence.misbehaved = misbehaved;
        row.decision = stats::decide(evidence);
    }
}

}  // namespace

Result<Report> analyse(const store::Store& store, store::RunId id) {
    auto run = store.load(id);
    if (!run) {
        return std::unexpected(run.error());
    }
    Report report;
    report.run = *std::move(run);
    Reading reading(report.run.run);
    auto read = store.for_each_batch(id, [&](const BatchRecord& batch) { reading.take(batch); });
    if (!read) {
        return std::unexpected(read.error());
    }
    reading.close();
    report.replicates = reading.series.replicates();
    const auto arms = static_cast<std::uint32_t>(report.run.run.arms.size());
    const auto workloads = static_cast<std::uint32_t>(report.run.run.workloads.size());
    for (std::uint32_t workload = 0; workload < workloads; ++workload) {
        for (std::uint32_t arm = 0; arm < arms; ++arm) {
            report.figures.push_back(figures_of(report.run, reading, arm, workload));
        }
        for (const ArmRecord& arm : report.run.run.arms) {
            if (arm.role == Role::change && report.run.run.command != "count") {
                report.rows.push_back(row_of(report, reading.series, arm, workload));
            }
        }
    }
    decide_rows(report);
    return report;
}

}  // namespace kerntoll::lab::report
