// SPDX-License-Identifier: MIT
// QEMU's `virt` machine with GICv2, which is its default:
//
//   -M virt -cpu max -semihosting-config enable=on,target=native
//
// Without semihosting the machine powers off all the same, but always with status 0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/arch/arm64/places.hpp"

namespace kerntoll::nano::arch {

inline constexpr Places places = arm64::places;
/// Kernel addresses of devices, which have their physical addresses from here on.
inline constexpr uintptr_t devices = 0xc000'0000;

/// The kernel's address of physical memory, and back.
inline void* at_physical(uintptr_t physical) {
    return reinterpret_cast<void*>(physical);
}
inline uintptr_t physical_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

/// Nanoseconds per step of the clock, the generic timer at 62.5 MHz.
inline constexpr uint64_t clock_resolution = 16;

}  // namespace kerntoll::nano::arch
