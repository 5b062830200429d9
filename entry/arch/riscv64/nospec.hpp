// SPDX-License-Identifier: MIT
// How this machine checks and masks a number.
#pragma once

#include "kerntoll/entry/nospec.hpp"

namespace kerntoll::entry::port {

// The comparison's answer is branched on and, negated, is the mask.
[[gnu::always_inline]] inline bool is_inside(unsigned long& index, unsigned long count) {
    unsigned long inside;
    asm goto("sltu %0, %1, %2\n\tbeqz %0, %l[outside]\n\tneg %0, %0"
             : "=&r"(inside)
             : "r"(index), "rI"(count)
             :
             : outside);
    index &= inside;
    return true;
outside:
    return false;
}

}  // namespace kerntoll::entry::port
