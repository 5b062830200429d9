// SPDX-License-Identifier: MIT
// QEMU's `s390-ccw-virtio`, which starts an ELF at its first instruction in 64-bit mode without
// translation. RAM begins at 0 with the lowcore.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano::arch {

// Where things lie in physical memory. The image begins at 1 MiB.
inline constexpr uintptr_t parameters_address = 0x20'0000;
inline constexpr uintptr_t program_address = 0x21'0000;
inline constexpr size_t program_limit = 0x1f'0000;  ///< bytes
inline constexpr uintptr_t pool_begin = 0x40'0000;
inline constexpr uintptr_t pool_end = 0x200'0000;

/// The kernel's address of physical memory, and back: it runs without translation.
inline void* at_physical(uintptr_t physical) {
    return reinterpret_cast<void*>(physical);
}
inline uintptr_t physical_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

/// Nanoseconds per step of the clock.
inline constexpr uint64_t clock_resolution = 1;

}  // namespace kerntoll::nano::arch
