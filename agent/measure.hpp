// SPDX-License-Identifier: MIT
// Batches: n ops between two readings of the clock.
#pragma once

#include <stdint.h>

#include "agent/sentence.hpp"
#include "agent/workload.hpp"

namespace kerntoll::agent {

struct Batch {
    uint64_t elapsed_ns = 0;  ///< by CLOCK_MONOTONIC, read by real system calls
    uint64_t ticks = 0;       ///< by the architecture's counter
};

/// Times n > 0 ops. A fault where the clock stepped back meanwhile.
[[nodiscard]] Outcome time_batch(Loop loop, uint64_t n, Fixture& fixture, const char* sled_entry,
                                 Batch& batch);

/// Finds the number of ops after which a batch lasts at least `at_least_ns`, seen twice in a row.
/// A fault where the clock stands still.
[[nodiscard]] Outcome calibrate(Loop loop, uint64_t at_least_ns, Fixture& fixture,
                                const char* sled_entry, uint64_t& n);

}  // namespace kerntoll::agent
