// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

namespace kerntoll::agent::arch {

/// Bytes per instruction of the sled.
inline constexpr size_t sled_step = 4;

/// Runs the sled from `at` to its end: a call, the instructions that are left, a return.
[[gnu::always_inline]] inline void slide(const char* at) {
    asm volatile("blr %0" : : "r"(at) : "x9", "x10", "x30", "memory");
}

}  // namespace kerntoll::agent::arch
