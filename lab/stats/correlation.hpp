// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace kerntoll::lab::stats {

/// By how much the variance of a centre of successive replicates exceeds that of independent ones
/// (1 where they are independent or where it cannot be told; never below 1).
[[nodiscard]] double variance_inflation(std::span<const double> effects, double centre);

}  // namespace kerntoll::lab::stats
