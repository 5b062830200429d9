// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

namespace kerntoll::agent::arch {

/// Bytes per instruction of the sled.
inline constexpr size_t sled_step = 4;

/// Runs the sled from `at` to its end: a call, the instructions that are left, a return.
[[gnu::always_inline]] inline void slide(const char* at) {
    asm volatile("jirl $ra, %0, 0" : : "r"(at) : "$ra", "$t0", "$t1", "memory");
}

}  // namespace kerntoll::agent::arch
