// SPDX-License-Identifier: MIT
// How this machine checks and masks a number.
#pragma once

#include "kerntoll/entry/nospec.hpp"

namespace kerntoll::entry::port {

// The comparison's answer is branched on and selects: maskeqz is arithmetic, 0 where its second
// operand is 0.
[[gnu::always_inline]] inline bool is_inside(unsigned long& index, unsigned long count) {
    constexpr unsigned long largest_immediate = 0x7ff;
    unsigned long masked;
    if (__builtin_constant_p(count) && count <= largest_immediate) {
        asm goto("sltui %0, %1, %2\n\tbeqz %0, %l[outside]\n\tmaskeqz %0, %1, %0"
                 : "=&r"(masked)
                 : "r"(index), "i"(count)
                 :
                 : outside);
    } else {
        asm goto("sltu %0, %1, %2\n\tbeqz %0, %l[outside]\n\tmaskeqz %0, %1, %0"
                 : "=&r"(masked)
                 : "r"(index), "r"(count)
                 :
                 : outside);
    }
    index = masked;
    return true;
outside:
    return false;
}

}  // namespace kerntoll::entry::port
