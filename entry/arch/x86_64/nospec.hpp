// SPDX-License-Identifier: MIT
// The bounds check of a number that a user chose, and the mask behind it.
#pragma once

namespace kerntoll::entry::port {

/// Whether `index` is below `count`; then it also comes out masked, so that where this answer was
/// mispredicted it is 0 and reaches nothing beyond the table (Linux: array_index_mask_nospec(),
/// Documentation/staging/speculation.rst). The branch and the mask take the same flags, and a
/// branch changes none.
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
