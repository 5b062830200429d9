// SPDX-License-Identifier: MIT
// Pages, and the address spaces made of them. Every user page is mapped before the task that owns
// it runs, so that a user's page fault is always the user's fault.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/access.hpp"
#include "nano/arch.hpp"

namespace kerntoll::nano {

using arch::page_size;

/// User addresses are below this: as far as one table of tables reaches.
inline constexpr uintptr_t user_limit = page_size << (arch::page_bits + arch::table_bits);

constexpr uintptr_t page_of(uintptr_t address) {
    return address & ~(page_size - 1);
}

/// A physical page of zeros from the pool; 0 where none is left.
[[nodiscard]] uintptr_t allocate_page();
/// Gives a page back. One that is not of the pool (a page of the kernel's image that is mapped into
/// user space) stays what it is.
void free_page(uintptr_t physical);
/// Pages that are left.
[[nodiscard]] size_t free_pages();

/// A task's user memory: one table of tables of pages, and what the port needs above it.
class AddressSpace {
public:
    struct Mapping {
        uintptr_t physical;  ///< of the address asked for, not of its page
        Access access;
    };

    /// Makes an empty one. False where memory is out; destroy() is right all the same.
    [[nodiscard]] bool create();
    /// Gives all its memory back. It must not be active.
    void destroy();
    /// Maps a page at a page's address below user_limit that is not mapped yet. The page belongs to
    /// this space from then on. False where memory is out or the address is taken or out of range;
    /// the page then still belongs to the caller. Not while this space is active: nothing is
    /// flushed.
    [[nodiscard]] bool map(uintptr_t address, uintptr_t physical, Access access);
    /// Fills this space, in which nothing is mapped but what every task has, with copies of
    /// another's pages of the pool. False where memory is out.
    [[nodiscard]] bool copy_from(const AddressSpace& other);
    /// Looks an address up. False where the user has nothing there.
    [[nodiscard]] bool find(uintptr_t address, Mapping& mapping) const;
    /// Makes it the one that the user's instructions see.
    void activate() const { arch::activate(root_); }

private:
    /// The entry of an address, whose table is made where there is none; nullptr where memory is
    /// out.
    [[nodiscard]] arch::Entry* make_entry(uintptr_t address);

    uintptr_t table_ = 0;
    arch::Root root_ = {};
};

}  // namespace kerntoll::nano
