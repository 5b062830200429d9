// SPDX-License-Identifier: MIT
// The bounds check of a number that a user chose, and the mask behind it.
#pragma once

namespace kerntoll::entry::port {

/// Whether `index` is below `count`; then it also comes out masked, so that where this answer was
/// mispredicted it is 0 and reaches nothing beyond the table (Linux: array_index_mask_nospec(),
/// Documentation/staging/speculation.rst). The branch and the mask take the same comparison;
/// maskeqz is arithmetic, 0 where its second operand is 0.
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
