// SPDX-License-Identifier: MIT
#include "cli/before.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "lab/base/side_by_side.hpp"
#include "lab/experiment/count.hpp"
#include "lab/path/record.hpp"

namespace kerntoll::cli {
namespace {

using lab::path::RecordedPath;
using lab::store::Role;

/// One arm's counts, or why there are none.
struct Counted {
    std::uint32_t arm = 0;
    lab::Result<std::vector<lab::experiment::Count>> counts = {};
};

/// One arm's path of one workload, or why there is none.
struct Recorded {
    std::uint32_t arm = 0;
    std::uint32_t workload = 0;
    lab::Result<RecordedPath> path = {};
};

/// The arms whose instructions are to be counted: those that can be and have no counts yet. The
/// control is the base again.
std::vector<Counted> uncounted(const Session& session) {
    std::vector<Counted> arms;
    for (std::uint32_t arm = 0; session.counting == Counting::on && arm < session.plan.arms.size();
         ++arm) {
        const bool known = std::ranges::find(session.counted, arm, &lab::store::CountRecord::arm) !=
                           session.counted.end();
        if (!known && session.plan.arms[arm].role != Role::control &&
            session.plan.arms[arm].target->can_count()) {
            arms.push_back({arm});
        }
    }
    return arms;
}

/// The paths to be recorded: those of the base and of the changes that can be held against it.
std::vector<Recorded> unrecorded(const Session& session) {
    std::vector<Recorded> paths;
    const auto recordable = [&](std::uint32_t arm) {
        return lab::path::can_record(*session.plan.arms[arm].target);
    };
    if (session.recording == PathRecording::off || !recordable(0)) {
        return paths;
    }
    const auto workloads = static_cast<std::uint32_t>(session.plan.record.workloads.size());
    for (std::uint32_t arm = 0; arm < session.plan.arms.size(); ++arm) {
        const Role role = session.plan.arms[arm].role;
        if ((role == Role::base || role == Role::change) && recordable(arm)) {
            for (std::uint32_t workload = 0; workload < workloads; ++workload) {
                paths.push_back({arm, workload});
            }
        }
    }
    const bool any_change =
        std::ranges::any_of(paths, [](const Recorded& recorded) { return recorded.arm != 0; });
    return any_change ? std::move(paths) : std::vector<Recorded>{};
}

/// Records again what was not recorded as the paths were that it is compared with.
void make_alike(Session& session, std::vector<Recorded>& recorded) {
    const auto& workloads = session.plan.record.workloads;
    std::vector<std::function<void()>> jobs;
    for (std::uint32_t workload = 0; workload < workloads.size(); ++workload) {
        jobs.emplace_back([&session, &recorded, &workloads, workload] {
            std::vector<lab::Result<RecordedPath>*> paths;
            std::vector<std::uint32_t> arms;
            for (Recorded& each : recorded) {
                if (each.workload == workload) {
                    paths.push_back(&each.path);
                    arms.push_back(each.arm);
                }
            }
            lab::path::record_alike(paths, [&](std::size_t which) {
                return lab::path::record_path(
                    *session.plan.arms[arms[which]].target,
                    {.workload = workloads[workload], .recorder = lab::path::Recorder::gdb});
            });
        });
    }
    lab::side_by_side(jobs);
}

/// Keeps the counts. What this machine cannot count (it forbids single steps, say) it may yet time:
/// then it is said, and the run goes on, unless it is there for the counts.
lab::Result<void> keep_counts(Session& session, const std::vector<Counted>& counted) {
    lab::Result<void> result;
    const bool counts_only = purpose_of(session.plan.record.command) == Purpose::counting;
    for (const auto& [arm, counts] : counted) {
        if (!counts && counts.error().fault == lab::Fault::environment && !counts_only) {
            const lab::Error& error = counts.error();
            if (auto kept = session.sink->event(
                    {std::nullopt, arm, "count",
                     fmt::format("not counted, the measurement goes on without it: {}",
                                 error.message),
                     error.console});
                !kept) {
                return kept;
            }
            continue;
        }
        if (!counts) {
            if (result) {
                result = std::unexpected(counts.error());
            }
            continue;
        }
        for (std::uint32_t workload = 0; workload < counts->size(); ++workload) {
            const auto& count = (*counts)[workload];
            if (auto kept = session.sink->count({arm, workload, count.instructions_per_op,
                                                 count.loop_instructions, count.exact});
                !kept) {
                return kept;
            }
        }
    }
    return result;
}

lab::store::PathRecord record_of(const Recorded& recorded, const RecordedPath& path) {
    return {.arm = recorded.arm,
            .workload = recorded.workload,
            .call = static_cast<std::uint32_t>(path.call),
            .calls_per_op = static_cast<std::uint32_t>(path.calls_per_op),
            .counts = path.traced.anatomy.total,
            .image = path.traced.image,
            .functions = {},
            .remarks = path.traced.remarks};
}

/// Keeps the paths with what became of the base's functions on them; says of the others why they
/// are not there.
lab::Result<void> keep_paths(Session& session, std::vector<Recorded>& recorded) {
    std::vector<const RecordedPath*> bases(session.plan.record.workloads.size(), nullptr);
    for (const Recorded& each : recorded) {  // the base comes first
        if (!each.path) {
            const lab::Error& error = each.path.error();
            if (error.fault == lab::Fault::interrupted) {
                return std::unexpected(error);
            }
            if (auto kept = session.sink->event(
                    {std::nullopt, each.arm, "path",
                     fmt::format("no path of {}, the comparison goes on without it: {}",
                                 session.plan.record.workloads[each.workload], error.message),
                     error.console});
                !kept) {
                return kept;
            }
            continue;
        }
        const RecordedPath& path = *each.path;
        lab::store::PathRecord record = record_of(each, path);
        if (each.arm == 0) {
            bases[each.workload] = &path;
        } else if (const RecordedPath* base = bases[each.workload];
                   base != nullptr && base->trace->target != path.trace->target) {
            if (auto kept = session.sink->event(
                    {std::nullopt,
                     each.arm,
                     "path",
                     fmt::format("the path of {} is not compared with A's: it is of another "
                                 "architecture",
                                 session.plan.record.workloads[each.workload]),
                     {}});
                !kept) {
                return kept;
            }
            continue;
        } else if (base != nullptr) {
            const auto explanation = lab::path::explain(base->traced, path.traced);
            record.functions = lab::path::changes_of(explanation.difference);
            record.remarks = explanation.change.remarks;
        } else {
            continue;  // nothing to hold it against, and an event says why
        }
        if (auto kept = session.sink->path(record); !kept) {
            return kept;
        }
    }
    return {};
}

std::string what_is_done(std::size_t counts, std::size_t paths) {
    const auto number = [](std::size_t number, std::string_view what) {
        return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
    };
    std::string text;
    if (counts > 0) {
        text += "counting instructions of " + number(counts, "target");
    }
    if (paths > 0) {
        text += (text.empty() ? "" : " and ") + ("recording " + number(paths, "path"));
    }
    return text + ", each in a machine of its own";
}

}  // namespace

lab::Result<void> count_and_record(Session& session, ProgressLine& progress) {
    std::vector<Counted> counted = uncounted(session);
    std::vector<Recorded> recorded = unrecorded(session);
    if (counted.empty() && recorded.empty()) {
        return {};
    }
    progress.say(what_is_done(counted.size(), recorded.size()));
    const auto& workloads = session.plan.record.workloads;
    std::vector<std::function<void()>> jobs;
    jobs.reserve(counted.size() + recorded.size());
    for (Counted& each : counted) {
        jobs.emplace_back([&] {
            each.counts =
                lab::experiment::count_instructions(*session.plan.arms[each.arm].target, workloads);
        });
    }
    for (Recorded& each : recorded) {
        jobs.emplace_back([&] {
            each.path = lab::path::record_path(*session.plan.arms[each.arm].target,
                                               {.workload = workloads[each.workload]});
        });
    }
    lab::side_by_side(jobs);
    make_alike(session, recorded);
    if (auto kept = keep_counts(session, counted); !kept) {
        return kept;
    }
    return keep_paths(session, recorded);
}

}  // namespace kerntoll::cli
