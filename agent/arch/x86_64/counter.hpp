// SPDX-License-Identifier: MIT
// The time-stamp counter: constant rate on every processor since 2008, not cycles.
#pragma once

#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent::arch {

inline constexpr wire::Text counter_name = "rdtsc";

/// Reads the counter after everything before it and before everything after it.
[[gnu::always_inline]] inline uint64_t read_counter() {
    uint64_t low;
    uint64_t high;
    asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return high << 32U | low;
}

struct CpuidLeaf {
    uint32_t eax, ebx, ecx, edx;
};

inline CpuidLeaf cpuid(uint32_t leaf) {
    CpuidLeaf answer{};
    asm volatile("cpuid"
                 : "=a"(answer.eax), "=b"(answer.ebx), "=c"(answer.ecx), "=d"(answer.edx)
                 : "a"(leaf), "c"(0));
    return answer;
}

/// Ticks per second, or 0 where neither the processor (leaf 0x15) nor the hypervisor (leaf
/// 0x40000010, in kHz) says.
inline uint64_t counter_hz() {
    constexpr uint32_t crystal_leaf = 0x15;
    constexpr uint32_t hypervisor_base = 0x40000000;
    constexpr uint32_t hypervisor_timing = 0x40000010;
    constexpr uint32_t hypervisor_present = 1U << 31U;
    if (cpuid(0).eax >= crystal_leaf) {
        const CpuidLeaf crystal = cpuid(crystal_leaf);
        if (crystal.eax != 0 && crystal.ebx != 0 && crystal.ecx != 0) {
            return uint64_t{crystal.ecx} * crystal.ebx / crystal.eax;
        }
    }
    if ((cpuid(1).ecx & hypervisor_present) != 0 &&
        cpuid(hypervisor_base).eax >= hypervisor_timing) {
        return uint64_t{cpuid(hypervisor_timing).eax} * 1000;
    }
    return 0;
}

}  // namespace kerntoll::agent::arch
