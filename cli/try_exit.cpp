// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cli/try.hpp"

namespace kerntoll::cli {

using lab::kernel::Outcome;
using lab::kernel::PortOutcome;

Exit exit_of_trial(const Outcome& outcome, Asked asked, const std::vector<lab::Error>& missing) {
    const bool measured = std::ranges::any_of(
        outcome.ports, [](const PortOutcome& port) { return port.report.has_value(); });
    const bool may_be_missing = measured && asked == Asked::whatever_is_there;
    Exit worst = may_be_missing || missing.empty() ? Exit::done : Exit::refused;
    for (const PortOutcome& port : outcome.ports) {
        if (port.error && !(port.cannot_be_run && may_be_missing)) {
            worst = std::max(worst, exit_of(port.error->fault, Stage::measuring));
        }
    }
    return worst;
}

}  // namespace kerntoll::cli
