// SPDX-License-Identifier: MIT
// What each row of a comparison means.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"

namespace kerntoll::lab::report {
namespace {

using stats::Verdict;
using Kind = Note::Kind;

const std::string& subject(const Report& report, const Row& row) {
    return report.run.run.workloads[row.workload];
}

std::string margin_text(const Report& report) {
    return size_text(report.run.run.margin);
}

/// "It would take about 310 replicates (9 min in all at this pace): kerntoll resume 7 …"
std::string outlook_text(const Report& report, const Row& row) {
    if (!row.outlook) {
        return {};
    }
    // A little more than needed, so that the last replicate is not cut off by the clock.
    const double minutes = std::ceil(row.outlook->seconds * 1.1 / 60);
    return fmt::format(
        " An interval of ±{} would take about {} replicates in all, {} more at this pace: {} "
        "--max-time {:.0f}m.",
        size_text(report.run.run.precision), row.outlook->replicates,
        duration_text(std::max(0.0, row.outlook->seconds - report.run.seconds)),
        resume_command(report.run), minutes);
}

std::string verdict_sentence(const Report& report, const Row& row) {
    const std::string change = label(report.run.run, row.change.arm);
    const std::string head = subject(report, row) + ": ";
    switch (row.decision.verdict) {
        case Verdict::faster:
        case Verdict::slower: {
            const bool faster = row.decision.verdict == Verdict::faster;
            std::string size = effect_text(row.estimate);
            size.erase(0, size.find_first_not_of("+-"));
            std::string text =
                fmt::format("{}{} is {}: an op takes {} {} time than on A.", head, change,
                            stats::name(row.decision.verdict), size, faster ? "less" : "more");
            if (row.decision.layout_untested) {
                text +=
                    " Layout untested: these are two fixed images, and moving code without "
                    "changing it can do as much; give a --placebo.";
            }
            return text;
        }
        case Verdict::equivalent:
            return fmt::format(
                "{}{} is equivalent: an op takes the same time as on A, to within "
                "the margin of {}.",
                head, change, margin_text(report));
        case Verdict::layout_like:
            return fmt::format("{}{} is layout-like: {}.", head, change, row.decision.reason);
        case Verdict::undecided:
            return fmt::format("{}{} is undecided: {}.{}", head, change, row.decision.reason,
                               outlook_text(report, row));
        case Verdict::untrusted:
            return fmt::format(
                "{}{} is untrusted: {}. Find what disturbs the machine (kerntoll "
                "doctor) and measure again.",
                head, change, row.decision.reason);
    }
    return {};
}

/// What the exact counts of a row say; empty where there are none.
std::string count_sentence(const Report& report, const Row& row) {
    if (!row.base.count || !row.change.count) {
        return {};
    }
    const std::string change = label(report.run.run, row.change.arm);
    const double base_count = row.base.count->instructions_per_op;
    const double difference = row.change.count->instructions_per_op - base_count;
    const std::string head = subject(report, row) + ": ";
    if (difference == 0) {
        const Verdict verdict = row.decision.verdict;
        const bool differs = verdict == Verdict::faster || verdict == Verdict::slower ||
                             verdict == Verdict::layout_like;
        return fmt::format("{}A and {} execute the same number of instructions per op, {}: {}.",
                           head, change, count_text(base_count),
                           differs ? "their difference in time is layout"
                                   : "a difference in time would be layout");
    }
    return fmt::format("{}{} executes {} instructions {} per op than A ({:+.2f} %){}.", head,
                       change, count_text(std::abs(difference)), difference < 0 ? "fewer" : "more",
                       100 * difference / base_count,
                       row.base.count->exact && row.change.count->exact ? ", in every run" : "");
}

/// "getpid: A has 2 layouts: 103 ns (31 replicates) and 127 ns (9 replicates)."
std::string modes_sentence(const Report& report, const Row& row, const Figures& side) {
    if (side.modes.empty()) {
        return {};
    }
    std::string list;
    for (std::size_t index = 0; index < side.modes.size(); ++index) {
        const char* joint = index == 0 ? "" : index + 1 == side.modes.size() ? " and " : ", ";
        list += fmt::format("{}{:.{}f} ns ({} replicates)", joint, side.modes[index].centre,
                            decimals_for(side.modes[index].centre / 10), side.modes[index].members);
    }
    return fmt::format("{}: {} has {} {}: {}.", subject(report, row),
                       label(report.run.run, side.arm), side.modes.size(),
                       row.scope == Scope::layouts ? "layouts" : "kinds of boot", list);
}

std::string sensitivity_sentence(const Report& report, const Row& row) {
    if (!std::isfinite(row.smallest_detectable)) {
        return {};
    }
    std::string text = fmt::format(
        "{}: the smallest difference of {} that this run would find is {}", subject(report, row),
        label(report.run.run, row.change.arm), size_text(row.smallest_detectable));
    if (row.between_share) {
        text += fmt::format("; {:.0f} % of the variance lies between replicates (layout, boot)",
                            100 * *row.between_share);
    }
    return text + ".";
}

void add(std::vector<Note>& notes, Kind kind, std::string text) {
    if (!text.empty()) {
        notes.push_back({kind, std::move(text)});
    }
}

}  // namespace

void add_row_notes(const Report& report, std::vector<Note>& notes) {
    for (const Row& row : report.rows) {
        add(notes, Kind::meaning, verdict_sentence(report, row));
        add(notes, Kind::meaning, count_sentence(report, row));
    }
    for (std::size_t index = 0; index < report.rows.size(); ++index) {
        const Row& row = report.rows[index];
        const bool first_of_workload =
            index == 0 || report.rows[index - 1].workload != row.workload;
        if (first_of_workload) {
            add(notes, Kind::fact, modes_sentence(report, row, row.base));
        }
        add(notes, Kind::fact, modes_sentence(report, row, row.change));
        add(notes, Kind::fact, sensitivity_sentence(report, row));
    }
}

}  // namespace kerntoll::lab::report
