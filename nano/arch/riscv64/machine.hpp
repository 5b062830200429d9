// SPDX-License-Identifier: MIT
// QEMU's `virt` machine, started with `-bios none`: 0.1 s earlier at the first instruction than
// with OpenSBI. boot.S gives this kernel what the firmware would have given it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano::arch {

// Where things lie in physical memory. RAM begins at 0x8000_0000 with the image.
inline constexpr uintptr_t parameters_address = 0x8020'0000;
inline constexpr uintptr_t program_address = 0x8021'0000;
inline constexpr size_t program_limit = 0x1f'0000;  ///< bytes
inline constexpr uintptr_t pool_begin = 0x8040'0000;
inline constexpr uintptr_t pool_end = 0x8200'0000;
/// Kernel addresses of devices, which have their physical addresses from here on.
inline constexpr uintptr_t devices = 0xc000'0000;

/// The kernel's address of physical memory, and back.
inline void* at_physical(uintptr_t physical) {
    return reinterpret_cast<void*>(physical);
}
inline uintptr_t physical_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

/// Nanoseconds per step of the clock.
inline constexpr uint64_t clock_resolution = 100;

}  // namespace kerntoll::nano::arch
