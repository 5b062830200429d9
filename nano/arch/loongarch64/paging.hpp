// SPDX-License-Identifier: MIT
// The translation buffer is filled by software (refill.S), which walks one level of directories and
// one of pages. Pages have 16 KiB, as Linux has them here: QEMU before 8.2 translates no less than
// 16 KiB at a time, so that with smaller pages a user reaches the physical neighbours of its own.
// QEMU's ldpte also drops the bit of a page that is not executable, so there, and on no processor,
// a user may execute its own data.
// The kernel has no part in this: it lives in windows that are open to level 0 alone (boot.S).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "machine.hpp"
#include "nano/access.hpp"

namespace kerntoll::nano::arch {

using Entry = uint64_t;

inline constexpr size_t page_size = 16384;
inline constexpr unsigned page_bits = 11;  ///< log2 of the entries of a table of pages
inline constexpr unsigned table_bits = 5;  ///< log2 of the entries of a table of tables
inline constexpr Entry no_page = 0;
/// The walk knows no entry that is not valid, only a table in which none is.
inline constexpr Entry no_table = empty_table;

/// Bits of a page's entry, as they are put into the buffer (Reference Manual, TLBRELO0).
namespace pte {
inline constexpr Entry valid = 1U << 0U;
inline constexpr Entry dirty = 1U << 1U;  // may be written
inline constexpr Entry user = 3U << 2U;   // level 3
inline constexpr Entry cached = 1U << 4U;
inline constexpr Entry not_executable = Entry{1} << 62U;
inline constexpr Entry address = 0xffff'ffff'c000;
}  // namespace pte

constexpr Entry table_entry(uintptr_t physical) {
    return physical;
}
constexpr uintptr_t table_of(Entry entry) {
    return entry;
}
constexpr Entry page_entry(uintptr_t physical, Access access) {
    constexpr Entry always = pte::valid | pte::user | pte::cached;
    return physical | (access == Access::read_write     ? always | pte::dirty | pte::not_executable
                       : access == Access::read_execute ? always
                                                        : always | pte::not_executable);
}
constexpr uintptr_t page_of(Entry entry) {
    return entry & pte::address;
}
constexpr Access access_of(Entry entry) {
    return (entry & pte::dirty) != 0            ? Access::read_write
           : (entry & pte::not_executable) == 0 ? Access::read_execute
                                                : Access::read;
}

/// What stands above a task's table of tables: nothing but where it is.
struct Root {
    uintptr_t table = 0;
};

}  // namespace kerntoll::nano::arch
