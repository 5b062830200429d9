// SPDX-License-Identifier: MIT
// What the clock's calls share.
#pragma once

#include <stdint.h>

namespace kerntoll::nano::calls {

/// struct timespec.
struct TimeSpec {
    int64_t seconds;
    int64_t nanoseconds;
};
/// CLOCK_MONOTONIC, the only clock that there is.
inline constexpr uintptr_t monotonic = 1;

}  // namespace kerntoll::nano::calls
