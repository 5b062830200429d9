// SPDX-License-Identifier: MIT
// The bounds check of a number that a user chose, and the mask behind it.
#pragma once

namespace kerntoll::entry::port {

/// Whether `index` is below `count`; then it also comes out masked, so that where this answer was
/// mispredicted it is 0 and reaches nothing beyond the table (Linux: array_index_mask_nospec(),
/// Documentation/staging/speculation.rst). The branch and the selection take the same flags; behind
/// them a barrier against predicted values.
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
