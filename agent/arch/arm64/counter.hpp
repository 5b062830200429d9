// SPDX-License-Identifier: MIT
// The virtual counter of the generic timer: constant rate, not cycles. Often coarse: 16 ns a tick
// on QEMU.
#pragma once

#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent::arch {

inline constexpr wire::Text counter_name = "cntvct";

/// Reads the counter after everything before it and before everything after it.
[[gnu::always_inline]] inline uint64_t read_counter() {
    uint64_t ticks;
    asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

/// Ticks per second, as the firmware set it.
inline uint64_t counter_hz() {
    uint64_t hz;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

}  // namespace kerntoll::agent::arch
