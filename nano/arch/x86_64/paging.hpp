// SPDX-License-Identifier: MIT
// Four levels of 512 entries, 4 KiB pages. Of the top level only the first entry is used; below it
// stand, in every root the same but for the first:
//   0x0000_0000  user
//   0x4000_0000  RAM from its first byte on (machine.hpp: window), the image by 4 KiB pages with
//   the
//                rights that each section needs
//   0xc000_0000  two devices
// Everything but the user's lacks the U bit. SMAP and SMEP keep the kernel from the user's, for
// good (user_copy.hpp says how it reads user memory).
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

/// Bits of an entry (Intel SDM volume 3, 4.5).
namespace pte {
inline constexpr Entry present = 1U << 0U;
inline constexpr Entry write = 1U << 1U;
inline constexpr Entry user = 1U << 2U;
inline constexpr Entry uncached = 1U << 4U;
inline constexpr Entry large = 1U << 7U;
inline constexpr Entry no_execute = Entry{1} << 63U;
inline constexpr Entry address = 0x000f'ffff'ffff'f000;
}  // namespace pte

/// Rights are those of the last level: the ones above allow everything.
constexpr Entry table_entry(uintptr_t physical) {
    return physical | pte::present | pte::write | pte::user;
}
constexpr uintptr_t table_of(Entry entry) {
    return entry & pte::address;
}
constexpr Entry page_entry(uintptr_t physical, Access access) {
    constexpr Entry always = pte::present | pte::user;
    return physical | (access == Access::read_write     ? always | pte::write | pte::no_execute
                       : access == Access::read_execute ? always
                                                        : always | pte::no_execute);
}
constexpr uintptr_t page_of(Entry entry) {
    return entry & pte::address;
}
constexpr Access access_of(Entry entry) {
    return (entry & pte::write) != 0        ? Access::read_write
           : (entry & pte::no_execute) == 0 ? Access::read_execute
                                            : Access::read;
}

/// What stands above a task's table of tables.
struct Root {
    uintptr_t page = 0;    ///< the top level
    uintptr_t middle = 0;  ///< the one below it
};

}  // namespace kerntoll::nano::arch
