// SPDX-License-Identifier: MIT
// A segment table of 512 entries, each of which has a page table of 256, whose pages have 4 KiB:
// a user has 512 MiB. Translation is for the user alone; the kernel runs without.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/access.hpp"

namespace kerntoll::nano::arch {

using Entry = uint64_t;

inline constexpr size_t page_size = 4096;
inline constexpr unsigned page_bits = 8;   ///< log2 of the entries of a table of pages
inline constexpr unsigned table_bits = 9;  ///< log2 of the entries of a table of tables
inline constexpr Entry no_page = 0x400;    ///< invalid page
inline constexpr Entry no_table = 0x20;    ///< invalid segment

/// Bits of a page's entry (Principles of Operation, "Page-Table Entries").
namespace pte {
inline constexpr Entry read_only = 1U << 9U;
inline constexpr Entry not_executable = 1U << 8U;
inline constexpr Entry flags = 0xfff;
}  // namespace pte

constexpr Entry table_entry(uintptr_t physical) {
    return physical;
}
constexpr uintptr_t table_of(Entry entry) {
    return entry;
}
constexpr Entry page_entry(uintptr_t physical, Access access) {
    return physical | (access == Access::read_write     ? pte::not_executable
                       : access == Access::read_execute ? pte::read_only
                                                        : pte::read_only | pte::not_executable);
}
constexpr uintptr_t page_of(Entry entry) {
    return entry & ~pte::flags;
}
constexpr Access access_of(Entry entry) {
    return (entry & pte::read_only) == 0        ? Access::read_write
           : (entry & pte::not_executable) == 0 ? Access::read_execute
                                                : Access::read;
}

/// What stands above a task's table of tables: nothing but where it is.
struct Root {
    uintptr_t table = 0;
};

}  // namespace kerntoll::nano::arch
