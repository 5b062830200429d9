// SPDX-License-Identifier: MIT
// How this machine checks and masks a number.
#pragma once

#include "kerntoll/entry/nospec.hpp"

namespace kerntoll::entry::port {

// The branch and the selection take the same flags; behind them stands a barrier against predicted
// values.
[[gnu::always_inline]] inline bool is_inside(unsigned long& index, unsigned long count) {
    unsigned long masked;
    asm goto("cmp %1, %2\n\tb.hs %l[outside]\n\tcsel %0, %1, xzr, lo\n\thint #20 // csdb"
             : "=r"(masked)
             : "r"(index), "rI"(count)
             : "cc"
             : outside);
    index = masked;
    return true;
outside:
    return false;
}

}  // namespace kerntoll::entry::port
