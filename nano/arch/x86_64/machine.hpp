// SPDX-License-Identifier: MIT
// QEMU's `microvm` machine, which starts a kernel by PVH without an option ROM in between:
//
//   -M microvm -cpu max -device isa-debug-exit,iobase=0xf4,iosize=4
//
// Status 0 is an ordinary power-off. Any other n comes out of isa-debug-exit as 2 n + 1, so only 1
// to 127 can be told apart.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/arch/x86_64/places.hpp"

namespace kerntoll::nano::arch {

inline constexpr Places places = x86_64::places;
/// The kernel's address of physical memory.
inline constexpr uintptr_t window = 0x4000'0000;
/// Devices have the same addresses for the kernel as physically.
inline constexpr uintptr_t local_apic = 0xfee0'0000;
inline constexpr uintptr_t event_device = 0xfea0'0000;

/// The kernel's address of physical memory, and back.
inline void* at_physical(uintptr_t physical) {
    return reinterpret_cast<void*>(window + physical);
}
inline uintptr_t physical_of(const void* address) {
    return reinterpret_cast<uintptr_t>(address) - window;
}

/// Nanoseconds per step of the clock, which counts less than one.
inline constexpr uint64_t clock_resolution = 1;

}  // namespace kerntoll::nano::arch
