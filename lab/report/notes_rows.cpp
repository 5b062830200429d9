// SPDX-License-Identifier: MIT
// What each row of a comparison means.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_reading.hpp"

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

/// Two significant digits: it is an estimate of an estimate.
std::string about(std::size_t number) {
    const double unit = std::pow(
        10.0, std::floor(std::log10(std::max<double>(1, static_cast<double>(number)))) - 1);
    return number < 100
               ? fmt::format("{}", number)
               : fmt::format("{:.0f}", std::round(static_cast<double>(number) / unit) * unit);
}

/// What it would take to reach the precision asked for, and the command that does it.
std::string outlook_text(const Report& report, const Row& row) {
    constexpr double day = 86'400;
    if (!row.outlook) {
        return {};
    }
    std::string text =
        fmt::format(" An interval of ±{} would take about {} replicates, {} more at this pace",
                    size_text(report.run.run.precision), about(row.outlook->replicates),
                    duration_text(std::max(0.0, row.outlook->seconds - report.run.seconds)));
    if (row.outlook->seconds < day) {
        // A little more than needed, so that the last replicate is not cut off by the clock.
        const double minutes = std::ceil(row.outlook->seconds * 1.1 / 60);
        text += fmt::format(": {} --max-time {:.0f}m", resume_command(report.run), minutes);
    }
    return text + ".";
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
                    " Layout untested: both sides are fixed images, and moving code without "
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
    if (difference == 0 && !row.equal_counts) {
        return fmt::format(
            "{}A and {} execute at least {} instructions per op, but not the same number in every "
            "batch.",
            head, change, count_text(base_count));
    }
    if (difference == 0 && row.base.path && row.change.path) {  // the path says what it means
        return fmt::format("{}A and {} execute the same number of instructions per op, {}.", head,
                           change, count_text(base_count));
    }
    if (difference == 0) {
        return fmt::format("{}A and {} execute the same number of instructions per op, {}: {}.",
                           head, change, count_text(base_count),
                           row.decision.verdict == Verdict::layout_like
                               ? "their difference in time is layout"
                           : row.scope == Scope::images ? "a difference in time would be layout"
                                                        : "a difference in time has another cause");
    }
    return fmt::format("{}{} executes {} instructions {} per op than A ({:+.2f} %){}.", head,
                       change, count_text(std::abs(difference)), difference < 0 ? "fewer" : "more",
                       100 * difference / base_count,
                       row.base.count->exact && row.change.count->exact ? ", exactly" : "");
}

/// "getpid: A has 2 layouts: 103 ns (31 replicates) and 127 ns (9 replicates)."
std::string modes_sentence(const store::RunRecord& run, std::uint32_t workload,
                           const Figures& side) {
    if (side.modes.empty()) {
        return {};
    }
    std::string list;
    for (std::size_t index = 0; index < side.modes.size(); ++index) {
        const char* joint = index == 0 ? "" : index + 1 == side.modes.size() ? " and " : ", ";
        list += fmt::format("{}{:.{}f} ns ({} replicates)", joint, side.modes[index].centre,
                            decimals_for(side.modes[index].centre / 10), side.modes[index].members);
    }
    return fmt::format(
        "{}: {} has {} {}: {}.", run.workloads[workload], label(run, side.arm), side.modes.size(),
        run.arms[side.arm].scope == Scope::layouts ? "layouts" : "kinds of boot", list);
}

/// What every row could have found, and where its variance lies.
std::string sensitivity_sentence(const Report& report) {
    std::string list;
    for (const Row& row : report.rows) {
        if (!std::isfinite(row.smallest_detectable)) {
            continue;
        }
        list += fmt::format(
            "{}{} of {} {}", list.empty() ? "" : ", ", report.run.run.workloads[row.workload],
            label(report.run.run, row.change.arm), size_text(row.smallest_detectable));
        if (row.between_share) {
            list += fmt::format(" ({:.0f} %)", 100 * *row.between_share);
        }
    }
    return list.empty() ? list
                        : "Smallest difference that this run would find (and the share of variance "
                          "that lies between replicates: layout, boot): " +
                              list + ".";
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
        for (std::string& sentence : path_sentences(report, row)) {
            add(notes, Kind::meaning, std::move(sentence));
        }
    }
    add(notes, Kind::fact, sensitivity_sentence(report));
    for (const auto& arm : report.run.run.arms) {
        if (arm.role != store::Role::base && arm.role != store::Role::change) {
            continue;
        }
        for (std::uint32_t workload = 0; workload < report.run.run.workloads.size(); ++workload) {
            add(notes, Kind::fact,
                modes_sentence(report.run.run, workload, report.of(workload, arm.index)));
        }
    }
}

}  // namespace kerntoll::lab::report
