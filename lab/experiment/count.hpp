// SPDX-License-Identifier: MIT
// Exact instructions per op. Of emulated targets, where under -icount one instruction is one
// nanosecond of guest time, so that the guest's own counter counts instructions; and of those that
// single steps count (CounterReading).
#pragma once

#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::experiment {

/// Instructions of one workload per op.
struct Count {
    std::string workload;
    double instructions_per_op = 0;  ///< kernel path and user loop together
    double loop_instructions =
        0;  ///< the user loop's, its trap instruction, or what calls the path, included
    /// Whether the counts are whole numbers that several undisturbed batches agree on. Otherwise
    /// they are the smallest seen: a path that differs from call to call has no single count.
    bool exact = false;
};

/// Boots `target` once with Launch::count and counts each workload in it. From batches of n and of
/// 2n ops, many of each, the least durations are taken: interrupts only ever add. Their difference
/// divided by n is free of what a batch costs beside its ops. Single steps count nothing else, so
/// that a few short batches of both lengths do. The same is done with the hollow loop, in which a
/// no-op stands where the trap instruction was. Fault::usage where the target cannot count.
[[nodiscard]] Result<std::vector<Count>> count_instructions(
    Target& target, const std::vector<std::string>& workloads);

}  // namespace kerntoll::lab::experiment
