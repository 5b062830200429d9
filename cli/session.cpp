// SPDX-License-Identifier: MIT
#include "cli/session.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/before.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/results.hpp"
#include "lab/report/notes.hpp"

namespace kerntoll::cli {
namespace {

using lab::store::RunState;

/// Takes what earlier sessions of this run measured into a series.
lab::Result<lab::stats::Series> earlier_series(const Session& session) {
    lab::stats::Series series(session.plan.arms.size(), session.plan.record.workloads.size());
    std::optional<std::uint32_t> current;
    const auto visited =
        session.store.for_each_batch(session.id, [&](const lab::store::BatchRecord& batch) {
            if (current && *current != batch.replicate) {
                series.complete(*current);
            }
            current = batch.replicate;
            series.add(batch.replicate, batch.arm, batch.workload,
                       static_cast<double>(batch.sample.elapsed_ns) /
                           static_cast<double>(batch.sample.ops));
        });
    if (!visited) {
        return std::unexpected(visited.error());
    }
    if (current) {
        series.complete(*current);
    }
    return series;
}

/// Counts and records, then measures. What ends it early is an error; what was kept until then
/// stays kept.
lab::Result<RunState> count_and_measure(Session& session, ProgressLine& progress) {
    if (auto done = count_and_record(session, progress); !done) {
        const bool interrupted = done.error().fault == lab::Fault::interrupted;
        // The first error is what the user must see, even where the store fails now.
        (void)session.sink->finish(interrupted ? RunState::interrupted : RunState::failed,
                                   done.error().message);
        return std::unexpected(done.error());
    }
    if (purpose_of(session.plan.record.command) == Purpose::counting) {
        if (auto kept = session.sink->finish(RunState::finished, "everything is counted"); !kept) {
            return std::unexpected(kept.error());
        }
        return RunState::finished;
    }
    auto series = earlier_series(session);
    if (!series) {
        return std::unexpected(series.error());
    }
    const auto outcome = lab::experiment::run_experiment(
        session.plan, *series, *session.sink, [&progress](const auto& at) { progress.update(at); });
    if (!outcome) {
        return std::unexpected(outcome.error());
    }
    return outcome->state;
}

/// Shows what a run that ended early has, if it has anything.
void present_partly(const Session& session, const OutputOptions& output) {
    const auto report = lab::report::analyse(session.store, session.id);
    if (!report || (report->replicates == 0 && report->run.counts.empty())) {
        return;
    }
    if (auto printed = print_as(*report, output); !printed) {
        print_error(printed.error());
    }
}

/// Whether a --fail-if condition holds; says which.
Exit judge(const lab::report::Report& report, const std::vector<Condition>& conditions) {
    std::vector<lab::stats::Verdict> verdicts;
    verdicts.reserve(report.rows.size());
    for (const auto& row : report.rows) {
        verdicts.push_back(row.decision.verdict);
    }
    Exit result = Exit::done;
    for (const Condition& condition : conditions) {
        if (condition.holds(verdicts)) {
            print_note(fmt::format("--fail-if {} holds", condition.text()));
            result = Exit::condition_holds;
        }
    }
    return result;
}

}  // namespace

lab::Result<RunState> measure(Session& session) {
    lab::Result<RunState> state;
    {
        ProgressLine progress(session.plan.record.max_seconds, session.plan.record.precision);
        state = count_and_measure(session, progress);
    }
    session.sink.reset();
    return state;
}

lab::Result<Exit> carry_out(lab::Result<Session> begun, const Presentation& presentation) {
    if (!begun) {
        return std::unexpected(begun.error());
    }
    Session& session = *begun;
    const lab::Result<RunState> state = measure(session);
    if (state && *state == RunState::finished) {
        const auto report = present(session.store, session.id, presentation.output);
        if (!report) {
            return std::unexpected(report.error());
        }
        return judge(*report, presentation.fail_if);
    }
    present_partly(session, presentation.output);
    if (state || state.error().fault == lab::Fault::interrupted) {
        if (const auto stored = session.store.load(session.id)) {
            print_note(fmt::format("interrupted; what was measured is kept, go on with: {}",
                                   lab::report::resume_command(*stored)));
        }
        return Exit::incomplete;
    }
    print_error(state.error());
    return exit_of(state.error().fault, Stage::measuring);
}
}  // namespace kerntoll::cli
