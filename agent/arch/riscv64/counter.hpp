// SPDX-License-Identifier: MIT
// The time CSR: constant rate, not cycles (rdcycle traps on many kernels). Often coarse: 100 ns a
// tick on QEMU.
#pragma once

#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent::arch {

inline constexpr wire::Text counter_name = "rdtime";

/// Reads the counter after everything before it and before everything after it.
[[gnu::always_inline]] inline uint64_t read_counter() {
    uint64_t ticks;
    asm volatile("fence iorw, iorw\n\trdtime %0\n\tfence iorw, iorw" : "=r"(ticks) : : "memory");
    return ticks;
}

/// Ticks per second: only the device tree knows, which a process cannot count on.
inline uint64_t counter_hz() {
    return 0;
}

}  // namespace kerntoll::agent::arch
