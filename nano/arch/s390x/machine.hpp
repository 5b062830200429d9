// SPDX-License-Identifier: MIT
// QEMU's `s390-ccw-virtio`, which starts an ELF at its first instruction in 64-bit mode without
// translation.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/arch/s390x/places.hpp"

namespace kerntoll::nano::arch {

inline constexpr Places places = s390x::places;

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
