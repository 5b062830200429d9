// SPDX-License-Identifier: MIT
// One replicate: all arms brought up side by side, then blocks in random order, one arm at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

#include "lab/experiment/experiment.hpp"

namespace kerntoll::lab::experiment {

/// Ops per batch of each workload; 0 until calibrated. The same for every arm, so that what a batch
/// costs beside its ops is the same too.
using BatchSizes = std::vector<std::uint64_t>;

/// How the wall time of one replicate was spent, in seconds.
struct Timing {
    double up = 0;  ///< from the moment when all machines answered until the last batch ended
    double in_batches = 0;  ///< of which inside batches
};

/// Why a replicate did not come to its end, and which arm it was, where it was one.
struct Failure {
    Error error;
    std::optional<std::uint32_t> arm;
};

/// Brings replicate `number` up, calibrates and proves the workloads that have no batch size yet,
/// and measures. Every batch goes to the sink and to the series at once; the replicate counts only
/// after the caller completes it. Batch sizes grow where a batch turned out too short.
[[nodiscard]] std::expected<Timing, Failure> measure_replicate(const Plan& plan,
                                                               std::uint32_t number,
                                                               BatchSizes& sizes,
                                                               stats::Series& series,
                                                               store::Sink& sink);

}  // namespace kerntoll::lab::experiment
