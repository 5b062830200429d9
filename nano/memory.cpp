// SPDX-License-Identifier: MIT
#include "nano/memory.hpp"

#include "nano/arch.hpp"
#include "nano/runtime.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// Pages below this were given out once; the list holds those that came back. So pages that are
/// never needed are never touched, and starting costs nothing.
constinit uintptr_t untouched = arch::places.pool_begin;
constinit uintptr_t first_free = 0;
constinit size_t listed = 0;

constexpr size_t entries_per_table = size_t{1} << arch::table_bits;
constexpr size_t entries_per_page_table = size_t{1} << arch::page_bits;
static_assert(sizeof(arch::Entry) * entries_per_table <= page_size);
static_assert(sizeof(arch::Entry) * entries_per_page_table <= page_size);

arch::Entry* entries(uintptr_t physical) {
    return static_cast<arch::Entry*>(arch::at_physical(physical));
}

bool is_of_pool(uintptr_t physical) {
    return physical >= arch::places.pool_begin && physical < arch::places.pool_end;
}

void fill(uintptr_t table, size_t count, arch::Entry entry) {
    for (size_t i = 0; i < count; ++i) {
        entries(table)[i] = entry;
    }
}

}  // namespace

uintptr_t allocate_page() {
    uintptr_t page = first_free;
    if (page != 0) {
        first_free = *static_cast<const uintptr_t*>(arch::at_physical(page));
        --listed;
    } else if (untouched < arch::places.pool_end) {
        page = untouched;
        untouched += page_size;
    } else {
        return 0;
    }
    memset(arch::at_physical(page), 0, page_size);
    return page;
}

void free_page(uintptr_t physical) {
    if (!is_of_pool(physical)) {
        return;
    }
    *static_cast<uintptr_t*>(arch::at_physical(physical)) = first_free;
    first_free = physical;
    ++listed;
}

size_t free_pages() {
    return listed + (arch::places.pool_end - untouched) / page_size;
}

bool AddressSpace::create() {
    table_ = allocate_page();
    if (table_ == 0) {
        return false;
    }
    fill(table_, entries_per_table, arch::no_table);
    return arch::make_root(table_, root_);
}

void AddressSpace::destroy() {
    if (table_ == 0) {
        return;
    }
    for (size_t i = 0; i < entries_per_table; ++i) {
        const arch::Entry table = entries(table_)[i];
        if (table == arch::no_table) {
            continue;
        }
        const uintptr_t pages = arch::table_of(table);
        for (size_t j = 0; j < entries_per_page_table; ++j) {
            if (const arch::Entry page = entries(pages)[j]; page != arch::no_page) {
                free_page(arch::page_of(page));
            }
        }
        free_page(pages);
    }
    arch::free_root(root_);
    free_page(table_);
    table_ = 0;
}

arch::Entry* AddressSpace::make_entry(uintptr_t address) {
    arch::Entry& table = entries(table_)[address / page_size >> arch::page_bits];
    if (table == arch::no_table) {
        const uintptr_t pages = allocate_page();
        if (pages == 0) {
            return nullptr;
        }
        fill(pages, entries_per_page_table, arch::no_page);
        table = arch::table_entry(pages);
    }
    return &entries(arch::table_of(table))[address / page_size % entries_per_page_table];
}

bool AddressSpace::map(uintptr_t address, uintptr_t physical, Access access) {
    if (address >= user_limit) {
        return false;
    }
    arch::Entry* const entry = make_entry(address);
    if (entry == nullptr || *entry != arch::no_page) {
        return false;
    }
    *entry = arch::page_entry(physical, access);
    return true;
}

bool AddressSpace::find(uintptr_t address, Mapping& mapping) const {
    // Masked, as the number of a call is: this is what stands between a user's address and the
    // tables, and what they lead to is read.
    if (!entry::port::is_inside(address, user_limit)) {
        return false;
    }
    const arch::Entry table = entries(table_)[address / page_size >> arch::page_bits];
    if (table == arch::no_table) {
        return false;
    }
    const arch::Entry entry =
        entries(arch::table_of(table))[address / page_size % entries_per_page_table];
    if (entry == arch::no_page) {
        return false;
    }
    mapping = {arch::page_of(entry) + address % page_size, arch::access_of(entry)};
    return true;
}

bool AddressSpace::copy_from(const AddressSpace& other) {
    for (size_t i = 0; i < entries_per_table; ++i) {
        const arch::Entry table = entries(other.table_)[i];
        if (table == arch::no_table) {
            continue;
        }
        for (size_t j = 0; j < entries_per_page_table; ++j) {
            const arch::Entry entry = entries(arch::table_of(table))[j];
            if (entry == arch::no_page) {
                continue;
            }
            const uintptr_t page = arch::page_of(entry);
            if (!is_of_pool(page)) {
                continue;
            }
            const uintptr_t copy = allocate_page();
            if (copy == 0) {
                return false;
            }
            memcpy(arch::at_physical(copy), arch::at_physical(page), page_size);
            const uintptr_t address = ((i << arch::page_bits) + j) * page_size;
            if (!map(address, copy, arch::access_of(entry))) {
                free_page(copy);
                return false;
            }
        }
    }
    return true;
}

}  // namespace kerntoll::nano
