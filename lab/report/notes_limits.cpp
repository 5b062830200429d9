// SPDX-License-Identifier: MIT
// What limits what a table says: control and placebos, grade, scope, counters.
#include <fmt/format.h>

#include <algorithm>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"

namespace kerntoll::lab::report {
namespace {

using store::ArmRecord;
using store::Role;
using Kind = Note::Kind;

bool any_grade(const Report& report, Grade grade) {
    return std::ranges::any_of(report.run.run.arms,
                               [&](const ArmRecord& arm) { return arm.grade == grade; });
}

/// Rows that are the first of their workload: control and placebos are the same for all changes.
std::vector<const Row*> one_row_per_workload(const Report& report) {
    std::vector<const Row*> rows;
    for (const Row& row : report.rows) {
        if (rows.empty() || rows.back()->workload != row.workload) {
            rows.push_back(&row);
        }
    }
    return rows;
}

void add_control(const Report& report, std::vector<Note>& notes) {
    std::string list;
    for (const Row* row : one_row_per_workload(report)) {
        if (row->control && row->control->replicates > 0) {
            list += fmt::format("{}{} {}", list.empty() ? "" : "; ",
                                report.run.run.workloads[row->workload],
                                effect_and_interval_text(*row->control));
        }
    }
    if (!list.empty()) {
        notes.push_back({Kind::limit,
                         fmt::format("Control, A brought up a second time, against A: {}.", list)});
    }
}

void add_placebos(const Report& report, std::vector<Note>& notes) {
    const auto rows = one_row_per_workload(report);
    for (const ArmRecord& arm : report.run.run.arms) {
        if (arm.role != Role::placebo) {
            continue;
        }
        const std::string who = label(report.run.run, arm.index);
        std::string list;
        for (const Row* row : rows) {
            for (const Placebo& placebo : row->placebos) {
                if (placebo.arm != arm.index) {
                    continue;
                }
                const std::string& workload = report.run.run.workloads[row->workload];
                list += fmt::format("{}{} {}", list.empty() ? "" : "; ", workload,
                                    effect_and_interval_text(placebo.estimate));
                const auto& base = row->base.count;
                if (base && placebo.count &&
                    base->instructions_per_op != placebo.count->instructions_per_op) {
                    notes.push_back(
                        {Kind::limit,
                         fmt::format("{} is not a placebo of A: it executes {} instructions per op "
                                     "of {}, and A {}, so its time does not widen what is layout.",
                                     who, count_text(placebo.count->instructions_per_op), workload,
                                     count_text(base->instructions_per_op))});
                }
            }
        }
        if (!list.empty()) {
            notes.push_back({Kind::limit, fmt::format("Placebo {} against A: {}.", who, list)});
        }
    }
}

void add_counts(const Report& report, std::vector<Note>& notes) {
    std::string loops;
    std::string inexact;
    for (std::size_t workload = 0; workload < report.run.run.workloads.size(); ++workload) {
        for (std::size_t arm = 0; arm < report.run.run.arms.size(); ++arm) {
            const auto& count = report.of(workload, arm).count;
            const std::string& what = report.run.run.workloads[workload];
            if (count && arm == 0) {
                loops += fmt::format("{}{} {}", loops.empty() ? "" : ", ", what,
                                     count_text(count->loop_instructions));
            }
            if (count && !count->exact) {
                inexact += fmt::format("{}{} of {}", inexact.empty() ? "" : ", ", what,
                                       label(report.run.run, static_cast<std::uint32_t>(arm)));
            }
        }
    }
    if (!loops.empty()) {
        notes.push_back(
            {Kind::limit, fmt::format("Instructions hold the user's own loop, the instruction that "
                                      "makes the call included: {}.",
                                      loops)});
    }
    if (!inexact.empty()) {
        notes.push_back({Kind::limit, fmt::format("Not the same count in every batch, the smallest "
                                                  "seen is shown: {}.",
                                                  inexact)});
    }
}

void add_grades(const Report& report, std::vector<Note>& notes) {
    const bool timed = report.replicates > 0;
    if (timed && any_grade(report, Grade::emulated)) {
        notes.push_back({Kind::limit, report.run.counts.empty()
                                          ? "Emulated time is never evidence of hardware time."
                                          : "Emulated time is never evidence of hardware time; the "
                                            "instructions are exact."});
    }
    if (timed && any_grade(report, Grade::virtualised)) {
        notes.push_back({Kind::limit,
                         "Virtualised: this machine is itself a guest; whatever else runs on its "
                         "host is in the times."});
    }
}

void add_scope(const Report& report, std::vector<Note>& notes) {
    const auto& arms = report.run.run.arms;
    const bool images =
        std::ranges::any_of(report.rows, [](const Row& row) { return row.scope == Scope::images; });
    if (!images || report.replicates == 0) {
        return;
    }
    const bool same = std::ranges::all_of(arms, [&](const ArmRecord& arm) {
        return arm.role != Role::change || arm.layout_key == arms[0].layout_key;
    });
    notes.push_back(
        {Kind::limit, same ? "Scope images: base and change are one image, so its code lies at the "
                             "same addresses in both; other images may differ."
                           : "Scope images: this is about this pair of images; where their code "
                             "happens to lie is part of the effect."});
}

}  // namespace

void add_limit_notes(const Report& report, std::vector<Note>& notes) {
    add_control(report, notes);
    add_placebos(report, notes);
    add_counts(report, notes);
    add_grades(report, notes);
    add_scope(report, notes);
    if (report.rows.size() > 1) {
        notes.push_back(
            {Kind::limit, fmt::format("faster and slower are corrected for {} comparisons (Holm); "
                                      "the intervals are not.",
                                      report.rows.size())});
    }
}

}  // namespace kerntoll::lab::report
