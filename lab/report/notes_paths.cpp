// SPDX-License-Identifier: MIT
// What the recorded paths say beside counts and times.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/path_reading.hpp"
#include "lab/report/path_words.hpp"

namespace kerntoll::lab::report {
namespace {

using Kind = Note::Kind;

/// What was said of several recordings, once, and of which.
void add_remarks(const Report& report, std::vector<Note>& notes) {
    std::vector<std::pair<std::string, std::string>> remarks;  // text, paths
    for (const store::PathRecord& path : report.run.paths) {
        if (path.arm >= report.run.run.arms.size() ||
            path.workload >= report.run.run.workloads.size()) {
            continue;  // damage, not a path of this run
        }
        const std::string who = fmt::format("{} of {}", report.run.run.workloads[path.workload],
                                            label(report.run.run, path.arm));
        for (const std::string& remark : path.remarks) {
            const auto known =
                std::ranges::find(remarks, remark, &decltype(remarks)::value_type::first);
            if (known == remarks.end()) {
                remarks.emplace_back(remark, who);
            } else {
                known->second += ", " + who;
            }
        }
    }
    for (const auto& [remark, paths] : remarks) {
        notes.push_back({Kind::fact, fmt::format("Recorded path, {}: {}", paths, remark)});
    }
}

void add_failures(const Report& report, std::vector<Note>& notes) {
    for (const store::EventRecord& event : report.run.events) {
        if (event.kind == "path" || event.kind == "count") {
            const std::string who = event.arm && *event.arm < report.run.run.arms.size()
                                        ? label(report.run.run, *event.arm) + ": "
                                        : "";
            notes.push_back({Kind::event, who + event.text, event.console});
        }
    }
}

/// Of the images once for each change, since all workloads run on them; of the path of each row.
void add_sizes(const Report& report, std::vector<Note>& notes) {
    const Row* before = nullptr;
    for (const Row& row : report.rows) {
        if (!row.base.path || !row.change.path) {
            continue;
        }
        const auto sentences =
            size_sentences(row.base.path->image, row.change.path->image, row.change.path->functions,
                           [](std::string_view name) { return std::string(name); });
        const std::string change = label(report.run.run, row.change.arm);
        const bool first_workload = before == nullptr || before->workload == row.workload;
        if (first_workload && store::compare_sizes(row.base.path->image, row.change.path->image)) {
            notes.push_back(
                {Kind::fact, fmt::format("{} against A: {}", change, sentences.front())});
        }
        for (std::size_t at = 1; at < sentences.size(); ++at) {
            notes.push_back({Kind::fact, fmt::format("{}, {} against A: {}",
                                                     report.run.run.workloads[row.workload], change,
                                                     sentences[at])});
        }
        before = before == nullptr ? &row : before;
    }
}

}  // namespace

void add_path_notes(const Report& report, std::vector<Note>& notes) {
    add_failures(report, notes);
    add_sizes(report, notes);
    add_remarks(report, notes);
    const bool both = std::ranges::any_of(
        report.rows, [](const Row& row) { return row.base.path && row.change.path; });
    if (both) {
        notes.push_back({Kind::limit,
                         "Calls, taken branches and code lines are counted on the recorded path of "
                         "one call; no time is attributed to any of them."});
    }
}

}  // namespace kerntoll::lab::report
