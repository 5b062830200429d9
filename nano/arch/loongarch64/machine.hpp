// SPDX-License-Identifier: MIT
// QEMU's `virt` machine, which starts an ELF at its first instruction with translation off. RAM
// begins at 0; the kernel sees it through a window.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano::arch {

// Where things lie in physical memory. The image begins at 2 MiB.
/// Zeros for good: a table of pages without a page (paging.hpp).
inline constexpr uintptr_t empty_table = 0x3f'c000;
inline constexpr uintptr_t parameters_address = 0x40'0000;
inline constexpr uintptr_t program_address = 0x41'0000;
inline constexpr size_t program_limit = 0x1f'0000;  ///< bytes
inline constexpr uintptr_t pool_begin = 0x60'0000;
inline constexpr uintptr_t pool_end = 0x220'0000;

/// The windows that boot.S opens for the kernel: physical memory cached, and devices.
inline constexpr uintptr_t memory_window = uintptr_t{9} << 60U;
inline constexpr uintptr_t device_window = uintptr_t{8} << 60U;

/// The kernel's address of physical memory, and back.
inline void* at_physical(uintptr_t physical) {
    return reinterpret_cast<void*>(memory_window | physical);
}
inline uintptr_t physical_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address) & ~memory_window;
}

/// Nanoseconds per step of the clock.
inline constexpr uint64_t clock_resolution = 10;

}  // namespace kerntoll::nano::arch
