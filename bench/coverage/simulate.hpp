// SPDX-License-Identifier: MIT
// Runs of the whole experiment (lab/experiment, its stopping rule included) on simulated machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/coverage/machines.hpp"
#include "lab/base/error.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::bench {

/// How one run ended.
struct RunResult {
    lab::stats::Estimate estimate;
    lab::stats::Verdict verdict = lab::stats::Verdict::undecided;
    bool precise = false;  ///< it stopped on precision, not because the time was out
};

/// The margin of all runs, as a log-ratio.
inline constexpr double study_margin = 0.005;

/// One comparison of a machine with itself made slower by `effect` (a log-ratio), in simulated
/// time, with the defaults of `kerntoll compare`.
[[nodiscard]] lab::Result<RunResult> simulate(const Machine& machine, double effect,
                                              std::uint64_t seed);

/// The replicate effects of a comparison of a machine with itself, so many of them.
[[nodiscard]] lab::Result<std::vector<double>> simulate_effects(const Machine& machine,
                                                                std::size_t replicates,
                                                                std::uint64_t seed);

}  // namespace kerntoll::bench
