// SPDX-License-Identifier: MIT
// One floating-point register, which no compiler of this program touches.
#pragma once

#include <stdint.h>

namespace kerntoll::programs {

inline void set_float(uint64_t bits) {
    asm volatile(".arch_extension fp\n\tfmov d8, %0" : : "r"(bits));
}
inline uint64_t get_float() {
    uint64_t bits;
    asm volatile(".arch_extension fp\n\tfmov %0, d8" : "=r"(bits));
    return bits;
}

}  // namespace kerntoll::programs
