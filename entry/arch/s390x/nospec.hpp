// SPDX-License-Identifier: MIT
// How this machine checks and masks a number.
#pragma once

#include <stdint.h>

#include "kerntoll/entry/nospec.hpp"

namespace kerntoll::entry::port {

// The branch and the mask take the same condition code: the comparison leaves the borrow of index
// - (count - 1) - 1, and the subtraction makes all ones or zeros of it. `count` is not 0.
[[gnu::always_inline]] inline bool is_inside(unsigned long& index, unsigned long count) {
    unsigned long inside;
    if (__builtin_constant_p(count) && count - 1 <= UINT32_MAX) {
        asm goto("clgfi %1, %2\n\tjh %l[outside]\n\tslbgr %0, %0"
                 : "=&d"(inside)
                 : "d"(index), "i"(static_cast<uint32_t>(count - 1))
                 : "cc"
                 : outside);
    } else {
        asm goto("clgr %1, %2\n\tjh %l[outside]\n\tslbgr %0, %0"
                 : "=&d"(inside)
                 : "d"(index), "d"(count - 1)
                 : "cc"
                 : outside);
    }
    index &= inside;
    return true;
outside:
    return false;
}

}  // namespace kerntoll::entry::port
