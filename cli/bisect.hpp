// SPDX-License-Identifier: MIT
#pragma once

#include "cli/exit.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::cli {

/// What a verdict on HEAD against a good commit is to `git bisect run`: slower is bad, what cannot
/// be told is passed over, and everything else is good.
[[nodiscard]] Exit bisect_exit(lab::stats::Verdict verdict);

}  // namespace kerntoll::cli
