// SPDX-License-Identifier: MIT
// The stable counter, read by rdtime.d: constant rate, not cycles.
#pragma once

#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent::arch {

inline constexpr wire::Text counter_name = "rdtime.d";

/// Reads the counter after everything before it and before everything after it.
[[gnu::always_inline]] inline uint64_t read_counter() {
    uint64_t ticks;
    asm volatile("dbar 0\n\trdtime.d %0, $zero\n\tdbar 0" : "=r"(ticks) : : "memory");
    return ticks;
}

inline uint32_t cpucfg(uint32_t word) {
    uint32_t answer;
    asm volatile("cpucfg %0, %1" : "=r"(answer) : "r"(word));
    return answer;
}

/// Ticks per second: crystal × multiplier / divisor (LoongArch Reference Manual, CPUCFG words 4 and
/// 5), or 0 where the processor does not say.
inline uint64_t counter_hz() {
    const uint64_t crystal_hz = cpucfg(4);
    const uint32_t ratio = cpucfg(5);
    const uint32_t multiplier = ratio & 0xffffU;
    const uint32_t divisor = ratio >> 16U;
    return divisor == 0 ? 0 : crystal_hz * multiplier / divisor;
}

}  // namespace kerntoll::agent::arch
