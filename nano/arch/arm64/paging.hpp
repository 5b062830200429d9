// SPDX-License-Identifier: MIT
// Three levels with 4 KiB pages, of 4, 512 and 512 entries: 4 GiB of addresses below TTBR0_EL1 and
// nothing below TTBR1_EL1. The root's first entry is the task's table of tables; the others are the
// kernel's, the same in every root, and not for EL0:
//   root[0]  0x0000_0000  user
//   root[1]  0x4000_0000  RAM at its physical addresses, the image by 4 KiB pages with the rights
//   that
//                         each section needs
//   root[3]  0xc000_0000  devices: physical 0
// Nothing that may be written may be executed (SCTLR_EL1.WXN), the kernel executes no user page
// (PXN), and PAN stays set for good (user_copy.hpp says how the kernel reads user memory).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/access.hpp"

namespace kerntoll::nano::arch {

using Entry = uint64_t;

inline constexpr size_t page_size = 4096;
inline constexpr unsigned page_bits = 9;   ///< log2 of the entries of a table of pages
inline constexpr unsigned table_bits = 9;  ///< log2 of the entries of a table of tables
inline constexpr Entry no_page = 0;
inline constexpr Entry no_table = 0;

/// Bits of an entry (Arm ARM, D8.3).
namespace pte {
inline constexpr Entry block = 1;             // a leaf above the last level
inline constexpr Entry table_or_page = 3;     // a table, or a leaf of the last level
inline constexpr Entry memory = 1U << 2U;     // attribute 1 of MAIR_EL1; 0 is for devices
inline constexpr Entry user = 1U << 6U;       // AP[1]
inline constexpr Entry read_only = 1U << 7U;  // AP[2]
inline constexpr Entry shared = 3U << 8U;     // inner shareable
inline constexpr Entry accessed = 1U << 10U;  // set beforehand: the processor faults instead
inline constexpr Entry not_global = 1U << 11U;
inline constexpr Entry guarded = Entry{1} << 50U;  // GP: indirect branches must land on a BTI
inline constexpr Entry no_kernel_execute = Entry{1} << 53U;  // PXN
inline constexpr Entry no_user_execute = Entry{1} << 54U;    // UXN
inline constexpr Entry address = 0x0000'ffff'ffff'f000;
}  // namespace pte

constexpr Entry table_entry(uintptr_t physical) {
    return physical | pte::table_or_page;
}
constexpr uintptr_t table_of(Entry entry) {
    return entry & pte::address;
}
constexpr Entry page_entry(uintptr_t physical, Access access) {
    constexpr Entry always = pte::table_or_page | pte::memory | pte::shared | pte::accessed |
                             pte::user | pte::not_global | pte::no_kernel_execute;
    return physical |
           (access == Access::read_write     ? always | pte::no_user_execute
            : access == Access::read_execute ? always | pte::read_only
                                             : always | pte::read_only | pte::no_user_execute);
}
constexpr uintptr_t page_of(Entry entry) {
    return entry & pte::address;
}
constexpr Access access_of(Entry entry) {
    return (entry & pte::read_only) == 0         ? Access::read_write
           : (entry & pte::no_user_execute) == 0 ? Access::read_execute
                                                 : Access::read;
}

/// What stands above a task's table of tables.
struct Root {
    uintptr_t page = 0;
};

}  // namespace kerntoll::nano::arch
