// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "cli/try.hpp"

namespace kerntoll::cli {
namespace {

using lab::Fault;
using lab::kernel::Outcome;

/// One architecture that was measured, and one that failed.
Outcome with(Fault fault, bool cannot_be_run) {
    Outcome outcome;
    outcome.ports.resize(2);
    outcome.ports[0].report.emplace();
    outcome.ports[1].error = lab::Error{fault, "why", {}};
    outcome.ports[1].cannot_be_run = cannot_be_run;
    return outcome;
}

const std::vector<lab::Error> none;
const std::vector<lab::Error> a_compiler{{Fault::environment, "no compiler", {}}};

TEST(TryExit, OfADiskThatIsFullIsNeverDone) {
    for (const Asked asked : {Asked::by_name, Asked::whatever_is_there}) {
        EXPECT_EQ(exit_of_trial(with(Fault::environment, false), asked, none), Exit::refused);
    }
}

TEST(TryExit, OfWhatThisMachineCannotBuildOrRunIsDoneUnlessItWasNamed) {
    const Outcome outcome = with(Fault::environment, true);
    EXPECT_EQ(exit_of_trial(outcome, Asked::whatever_is_there, a_compiler), Exit::done);
    EXPECT_EQ(exit_of_trial(outcome, Asked::by_name, none), Exit::refused);
    Outcome measured;
    measured.ports.resize(1);
    measured.ports[0].report.emplace();
    EXPECT_EQ(exit_of_trial(measured, Asked::by_name, none), Exit::done);
    EXPECT_EQ(exit_of_trial(measured, Asked::by_name, a_compiler), Exit::refused);
    EXPECT_EQ(exit_of_trial(measured, Asked::whatever_is_there, a_compiler), Exit::done);
}

TEST(TryExit, OfNothingMeasuredIsNotDone) {
    Outcome outcome = with(Fault::environment, true);
    outcome.ports[0].report.reset();
    EXPECT_EQ(exit_of_trial(outcome, Asked::whatever_is_there, none), Exit::refused);
}

TEST(TryExit, OfWhatDoesNotBuildIsIncomplete) {
    EXPECT_EQ(exit_of_trial(with(Fault::measurement, false), Asked::whatever_is_there, a_compiler),
              Exit::incomplete);
}

}  // namespace
}  // namespace kerntoll::cli
