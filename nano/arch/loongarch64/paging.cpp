// SPDX-License-Identifier: MIT
#include "nano/memory.hpp"
#include "nano/runtime.hpp"

extern "C" const char kerntoll_nano_refill[];  // refill.S

namespace kerntoll::nano::arch {

namespace {

constexpr unsigned page_shift = 14;
static_assert(page_size == size_t{1} << page_shift);

/// Control and status registers of translation.
constexpr unsigned csr_user_table = 0x19;    // PGDL: of addresses whose highest bit is 0
constexpr unsigned csr_kernel_table = 0x1a;  // PGDH: of the others
constexpr unsigned csr_walk = 0x1c;          // PWCL
constexpr unsigned csr_walk_high = 0x1d;     // PWCH
constexpr unsigned csr_common_size = 0x1e;   // STLBPS
constexpr unsigned csr_space = 0x18;         // ASID
constexpr unsigned csr_refill = 0x88;        // TLBRENTRY, a physical address
constexpr unsigned csr_refill_size = 0x8e;   // TLBREHI, with the size of what is filled in

template <unsigned number>
void write_csr(uint64_t value) {
    asm volatile("csrwr %0, %1" : "+r"(value) : "i"(number) : "memory");
}

void forget() {
    asm volatile("invtlb 0, $zero, $zero\n\tibar 0" : : : "memory");
}

}  // namespace

void start_paging() {
    memset(at_physical(empty_table), 0, page_size);
    constexpr uint64_t pages = page_shift | uint64_t{page_bits} << 5U;
    constexpr uint64_t directory = uint64_t{page_shift + page_bits} << 10U | uint64_t{table_bits}
                                                                                 << 15U;
    write_csr<csr_walk>(pages | directory);
    write_csr<csr_walk_high>(0);
    write_csr<csr_common_size>(page_shift);
    write_csr<csr_refill_size>(page_shift);
    write_csr<csr_space>(0);
    write_csr<csr_refill>(physical_of(kerntoll_nano_refill));
    // Each entry of an empty directory may as well be one of an empty table: none is valid.
    write_csr<csr_user_table>(empty_table);
    write_csr<csr_kernel_table>(empty_table);
    forget();
}

bool make_root(uintptr_t user_table, Root& root) {
    root.table = user_table;
    return true;
}

void free_root(Root& root) {
    root.table = 0;
}

void activate(const Root& root) {
    write_csr<csr_user_table>(root.table);
    forget();
}

}  // namespace kerntoll::nano::arch
