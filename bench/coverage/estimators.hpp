// SPDX-License-Identifier: MIT
// The estimator in use beside those that were not chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lab/base/error.hpp"

namespace kerntoll::bench {

/// Coverage and median half-width of several 95 % intervals on the same replicates (A/A, no
/// stopping rule) of every simulated machine, as a Markdown table.
[[nodiscard]] lab::Result<std::string> compare_estimators(std::size_t runs, std::uint64_t seed);

}  // namespace kerntoll::bench
