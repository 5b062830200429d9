// SPDX-License-Identifier: MIT
// A run under way, from its begin in the results file to the printed answer: what compare, run,
// count and resume have in common.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/arms.hpp"
#include "cli/condition.hpp"
#include "cli/exit.hpp"
#include "cli/options.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/store/store.hpp"

namespace kerntoll::cli {

/// What happens with the results: where they are kept and how they are told.
struct Presentation {
    StoreOptions store;
    OutputOptions output;
    std::vector<Condition> fail_if = {};
};

/// A run under way: what is measured, and where it goes.
struct Session {
    lab::store::Store store;
    lab::store::RunId id = 0;
    std::unique_ptr<lab::store::Sink> sink;
    lab::experiment::Plan plan;
    Counting counting = Counting::on;
    PathRecording recording = PathRecording::off;
    std::vector<lab::store::CountRecord> counted;  ///< by an earlier session of this run
};

/// Opens the targets and begins a run of them in the results file. `command`: compare, run, count.
[[nodiscard]] lab::Result<Session> begin_session(const std::string& command,
                                                 const std::vector<std::string>& argv,
                                                 const TargetTexts& texts,
                                                 const MeasureOptions& options,
                                                 const StoreOptions& store);

/// Opens a stored run (its number, or "last") to go on where it stopped.
[[nodiscard]] lab::Result<Session> resume_session(const std::string& run,
                                                  const lab::store::Limits& limits,
                                                  const StoreOptions& store);

/// Counts, records paths and, unless the run's command is count, measures; prints nothing but
/// progress. The sink is closed then. Fails where nothing more can come of the run.
[[nodiscard]] lab::Result<lab::store::RunState> measure(Session& session);

/// Carries a run out: counts and records paths, measures unless the run's command is count, prints
/// the answer or what there is of it, and says how it ended. Hands an error on where the run did
/// not even begin.
[[nodiscard]] lab::Result<Exit> carry_out(lab::Result<Session> begun,
                                          const Presentation& presentation);

}  // namespace kerntoll::cli
