// SPDX-License-Identifier: MIT
// The two ways out of a function on arm64: into the hosted entry path, and into the kernel that
// runs this program.
#pragma once

#include <stdint.h>

#include "agent/trap.hpp"
#include "frame.hpp"

namespace kerntoll::hosted {

/// Calls the entry path; a hollow entry is a no-op of the same length. Declares lost what a
/// function may lose (AAPCS64, 6.1.1), in both forms, so that all around them is the same.
template <agent::Trap trap>
[[gnu::always_inline]] inline void enter(entry::Frame& frame) {
    register entry::Frame* first asm("x0") = &frame;
    asm volatile(
        ".if %c[real]\n\t"
        "bl kerntoll_entry_from_user\n\t"
        ".else\n\t"
        "nop\n\t"
        ".endif"
        : "+r"(first)
        : [real] "i"(trap == agent::Trap::real)
        : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
          "x15", "x16", "x17", "x18", "x30", "cc", "memory");
}

/// A system call of the host's kernel: a result, or a negative error number.
inline long ask_kernel(long number, const uintptr_t (&argument)[6]) {
    register long x8 asm("x8") = number;
    register uintptr_t x0 asm("x0") = argument[0];
    register uintptr_t x1 asm("x1") = argument[1];
    register uintptr_t x2 asm("x2") = argument[2];
    register uintptr_t x3 asm("x3") = argument[3];
    register uintptr_t x4 asm("x4") = argument[4];
    register uintptr_t x5 asm("x5") = argument[5];
    asm volatile("svc #0"
                 : "+r"(x0)
                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                 : "memory");
    return static_cast<long>(x0);
}

}  // namespace kerntoll::hosted
