// SPDX-License-Identifier: MIT
// The bounds check of a number that a user chose, and the mask behind it.
#pragma once

namespace kerntoll::entry::port {

/// Whether `index` is below `count`; then it also comes out masked, so that where this answer was
/// mispredicted it is 0 and reaches nothing beyond the table (Linux: array_index_mask_nospec(),
/// Documentation/staging/speculation.rst). The branch and the mask take the same comparison.
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
