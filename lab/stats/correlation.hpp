// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace kerntoll::lab::stats {

/// By how much the variance of a centre of successive replicates exceeds that of independent ones:
/// the larger of what a first-order autoregression and what Geyer's estimator make of the
/// signed-rank scores; never below 1, and 1 where there are too few replicates to tell. (The
/// larger, because the one misses correlation that fades slowly and the other misses much of what a
/// short series holds: docs/statistics.md.)
[[nodiscard]] double variance_inflation(std::span<const double> effects, double centre);

}  // namespace kerntoll::lab::stats
