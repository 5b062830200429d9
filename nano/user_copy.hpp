// SPDX-License-Identifier: MIT
// The only way from the kernel to a user's memory. Addresses are looked up in the task's tables in
// software and the page is touched through the kernel's own mapping. So there is no instruction
// that may fault and be mended, no moment in which PAN, SMAP or SUM is open, and the same few lines
// hold on all ports, also where the kernel runs untranslated (s390x) or the hardware would let it
// read anything (loongarch64).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano {

/// Copies from the current task's memory. False where any of it is not there; what was copied
/// before that stays.
[[nodiscard]] bool copy_from_user(void* to, uintptr_t from, size_t size);
/// Copies to the current task's memory. False where any of it is not there or not writable.
[[nodiscard]] bool copy_to_user(uintptr_t to, const void* from, size_t size);
/// Writes zeros.
[[nodiscard]] bool clear_user(uintptr_t to, size_t size);
/// Copies a text with its zero. Its length, or -EFAULT, or -ENAMETOOLONG where `size` bytes do not
/// hold it.
[[nodiscard]] long copy_text_from_user(char* to, uintptr_t from, size_t size);

template <class T>
[[nodiscard]] bool read_user(T& value, uintptr_t from) {
    return copy_from_user(&value, from, sizeof value);
}
template <class T>
[[nodiscard]] bool write_user(uintptr_t to, const T& value) {
    return copy_to_user(to, &value, sizeof value);
}

}  // namespace kerntoll::nano
