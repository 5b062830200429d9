// SPDX-License-Identifier: MIT
// The time-of-day clock, read by stckf: constant rate, not cycles.
#pragma once

#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent::arch {

inline constexpr wire::Text counter_name = "stckf";

/// Reads the counter after everything before it and before everything after it (bcr 15,0
/// serializes; stckf alone does not).
[[gnu::always_inline]] inline uint64_t read_counter() {
    uint64_t ticks;
    asm volatile("bcr 15, 0\n\tstckf %0\n\tbcr 15, 0" : "=Q"(ticks) : : "cc", "memory");
    return ticks;
}

/// Ticks per second: bit 51 of the clock is a microsecond (z/Architecture Principles of Operation,
/// "Time-of-Day Clock").
inline uint64_t counter_hz() {
    return 4'096'000'000;
}

}  // namespace kerntoll::agent::arch
