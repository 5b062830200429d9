// SPDX-License-Identifier: MIT
// QEMU's `virt` machine, started with `-bios none`: 0.1 s earlier at the first instruction than
// with OpenSBI. boot.S gives this kernel what the firmware would have given it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/arch/riscv64/places.hpp"

namespace kerntoll::nano::arch {

inline constexpr Places places = riscv64::places;
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
