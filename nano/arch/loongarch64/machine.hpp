// SPDX-License-Identifier: MIT
// QEMU's `virt` machine, which starts an ELF at its first instruction with translation off. The
// kernel sees memory and devices through windows.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/arch/loongarch64/places.hpp"

namespace kerntoll::nano::arch {

inline constexpr Places places = loongarch64::places;
/// Physical: zeros for good, a table of pages without a page (paging.hpp).
inline constexpr uintptr_t empty_table = 0x3f'c000;
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
