// SPDX-License-Identifier: MIT
// The two ways out of a function on x86-64: into the hosted entry path, and into the kernel that
// runs this program.
#pragma once

#include <stdint.h>

#include "agent/trap.hpp"
#include "frame.hpp"

namespace kerntoll::hosted {

/// Calls the entry path; a hollow entry is a no-op of the same five bytes. Declares lost what a
/// function may lose (System V ABI, 3.2.1), in both forms, so that all around them is the same.
template <agent::Trap trap>
[[gnu::always_inline]] inline void enter(entry::Frame& frame) {
    entry::Frame* first = &frame;
    asm volatile(
        ".if %c[real]\n\t"
        "call kerntoll_entry_from_user\n\t"
        ".else\n\t"
        ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"
        ".endif"
        : "+D"(first)
        : [real] "i"(trap == agent::Trap::real)
        : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
}

/// A system call of the host's kernel: a result, or a negative error number.
inline long ask_kernel(long number, const uintptr_t (&argument)[6]) {
    long result = number;
    register uintptr_t r10 asm("r10") = argument[3];
    register uintptr_t r8 asm("r8") = argument[4];
    register uintptr_t r9 asm("r9") = argument[5];
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(argument[0]), "S"(argument[1]), "d"(argument[2]), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

}  // namespace kerntoll::hosted
