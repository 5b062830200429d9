// SPDX-License-Identifier: MIT
// What the command ends with. Scripts rely on these four numbers.
#pragma once

#include "lab/base/error.hpp"

namespace kerntoll::cli {

enum class Exit : int {
    done = 0,             ///< everything asked for was done
    condition_holds = 1,  ///< a --fail-if condition holds
    refused = 2,          ///< usage, or the machine lacks something
    incomplete = 3,       ///< the measurement could not be completed
    // What `git bisect run` makes of an exit code: 125 passes a commit over, 128 and more end the
    // bisection; 1 is "bad", which a mistake must not be taken for.
    cannot_tell = 125,
    ends_bisection = 128,
};

/// Whether the command had begun to measure when it failed.
enum class Stage { before_measuring, measuring };

/// The exit of a command that ended with an error: trouble with the store means that a measurement
/// under way could not be completed.
[[nodiscard]] constexpr Exit exit_of(lab::Fault fault, Stage stage) {
    switch (fault) {
        case lab::Fault::usage:
        case lab::Fault::environment:
            return Exit::refused;
        case lab::Fault::store:
            return stage == Stage::measuring ? Exit::incomplete : Exit::refused;
        case lab::Fault::measurement:
        case lab::Fault::interrupted:
            break;
    }
    return Exit::incomplete;
}

}  // namespace kerntoll::cli
