// SPDX-License-Identifier: MIT
// One floating-point register, which no compiler of this program touches.
#pragma once

#include <stdint.h>

namespace kerntoll::programs {

inline void set_float(uint64_t bits) {
    asm volatile("movq %0, %%xmm8" : : "r"(bits));
}
inline uint64_t get_float() {
    uint64_t bits;
    asm volatile("movq %%xmm8, %0" : "=r"(bits));
    return bits;
}

}  // namespace kerntoll::programs
