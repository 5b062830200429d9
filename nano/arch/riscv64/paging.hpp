// SPDX-License-Identifier: MIT
// Sv39: three levels of 512 entries, 4 KiB pages. The root's first entry, one GiB, is the task's
// table of tables; the others are the kernel's, the same in every root, and without the U bit:
//   root[0]  0x0000_0000  user
//   root[2]  0x8000_0000  RAM at its physical addresses, of which the first 2 MiB, the image, by
//                         4 KiB pages with the rights that each section needs
//   root[3]  0xc000_0000  devices: physical 0
// The kernel leaves sstatus.SUM at 0 for good (user_copy.hpp says how it reads user memory).
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

/// Bits of an entry (privileged specification, "Sv39").
namespace pte {
inline constexpr Entry valid = 1U << 0U;
inline constexpr Entry read = 1U << 1U;
inline constexpr Entry write = 1U << 2U;
inline constexpr Entry execute = 1U << 3U;
inline constexpr Entry user = 1U << 4U;
inline constexpr Entry accessed = 1U << 6U;  // set beforehand: hardware may fault instead of
inline constexpr Entry dirty = 1U << 7U;     // setting them
inline constexpr unsigned number_shift = 10;
}  // namespace pte

constexpr Entry entry_for(uintptr_t physical, Entry bits) {
    return (physical >> 12U << pte::number_shift) | bits | pte::valid;
}
constexpr uintptr_t address_in(Entry entry) {
    return entry >> pte::number_shift << 12U;
}

constexpr Entry table_entry(uintptr_t physical) {
    return entry_for(physical, 0);
}
constexpr uintptr_t table_of(Entry entry) {
    return address_in(entry);
}
constexpr Entry page_entry(uintptr_t physical, Access access) {
    constexpr Entry always = pte::read | pte::user | pte::accessed | pte::dirty;
    return entry_for(physical, access == Access::read_write     ? always | pte::write
                               : access == Access::read_execute ? always | pte::execute
                                                                : always);
}
constexpr uintptr_t page_of(Entry entry) {
    return address_in(entry);
}
constexpr Access access_of(Entry entry) {
    return (entry & pte::write) != 0     ? Access::read_write
           : (entry & pte::execute) != 0 ? Access::read_execute
                                         : Access::read;
}

/// What stands above a task's table of tables.
struct Root {
    uintptr_t page = 0;
};
}  // namespace kerntoll::nano::arch
