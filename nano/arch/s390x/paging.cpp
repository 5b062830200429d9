// SPDX-License-Identifier: MIT
#include "nano/memory.hpp"

namespace kerntoll::nano::arch {

namespace {

/// An address-space-control element: a segment table of 512 entries, and no use of pages that are
/// common to address spaces.
constexpr uint64_t private_space = 1U << 8U;

/// What the address spaces have that nobody uses: nothing.
struct alignas(page_size) Table {
    Entry entry[page_size / sizeof(Entry)];
};
constinit Table empty = [] {
    Table table{};
    for (Entry& entry : table.entry) {
        entry = no_table;
    }
    return table;
}();

}  // namespace

void start_paging() {
    // The user's own space, and the two that its instructions might ask for (secondary and home).
    const uint64_t space = physical_of(&empty) | private_space;
    asm volatile(
        "lctlg %%c1, %%c1, %0\n\t"
        "lctlg %%c7, %%c7, %0\n\t"
        "lctlg %%c13, %%c13, %0\n\t"
        "ptlb"
        :
        : "Q"(space)
        : "memory");
}

bool make_root(uintptr_t user_table, Root& root) {
    root.table = user_table;
    return true;
}

void free_root(Root& root) {
    root.table = 0;
}

void activate(const Root& root) {
    const uint64_t space = root.table | private_space;
    asm volatile("lctlg %%c1, %%c1, %0\n\tptlb" : : "Q"(space) : "memory");
}

}  // namespace kerntoll::nano::arch
