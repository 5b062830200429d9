// SPDX-License-Identifier: MIT
// One floating-point register, which no compiler of this program touches.
#pragma once

#include <stdint.h>

namespace kerntoll::programs {

inline void set_float(uint64_t bits) {
    asm volatile(".option push\n\t.option arch, +d\n\tfmv.d.x fs0, %0\n\t.option pop"
                 :
                 : "r"(bits));
}
inline uint64_t get_float() {
    uint64_t bits;
    asm volatile(".option push\n\t.option arch, +d\n\tfmv.x.d %0, fs0\n\t.option pop" : "=r"(bits));
    return bits;
}

}  // namespace kerntoll::programs
