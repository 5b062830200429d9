// SPDX-License-Identifier: MIT
// How this machine checks and masks a number.
#pragma once

#include "kerntoll/entry/nospec.hpp"

namespace kerntoll::entry::port {

// A branch changes no flags, so the mask is made of the borrow of its comparison.
[[gnu::always_inline]] inline bool is_inside(unsigned long& index, unsigned long count) {
    unsigned long inside;
    asm goto("cmpq %2, %1\n\tjae %l[outside]\n\tsbbq %0, %0"
             : "=r"(inside)
             : "r"(index), "er"(count)
             : "cc"
             : outside);
    index &= inside;
    return true;
outside:
    return false;
}

}  // namespace kerntoll::entry::port
