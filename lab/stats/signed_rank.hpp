// SPDX-License-Identifier: MIT
// The order statistics and the distribution behind the Hodges–Lehmann estimate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace kerntoll::lab::stats {

/// The `rank`-th smallest (from 0) of the n(n+1)/2 Walsh averages (x[i]+x[j])/2, i <= j, without
/// forming them: O(n log n) expected. `ascending` is sorted and not empty; rank < n(n+1)/2.
/// Method: Monahan, Algorithm 616, ACM TOMS 10 (1984).
[[nodiscard]] double walsh_average(std::span<const double> ascending, std::size_t rank);

/// The largest c with P(T <= c) <= tail, of Wilcoxon's signed-rank statistic T of n values that are
/// symmetric about zero; nothing where even P(T = 0) is above it. [the c-th Walsh average from
/// below, the c-th from above], counted from 0, is then a 1 - 2 tail interval. Exact up to 64
/// values, normal with continuity correction beyond.
[[nodiscard]] std::optional<std::size_t> signed_rank_critical(std::size_t n, double tail);

}  // namespace kerntoll::lab::stats
