// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/memory.hpp"

// Borders of the image's sections, page-aligned (link.ld).
extern "C" char kerntoll_nano_image[], kerntoll_nano_text_end[], kerntoll_nano_constants_end[],
    kerntoll_nano_image_end[];

namespace kerntoll::nano::arch {

namespace {

constexpr size_t entries = 512;
constexpr uintptr_t large_size = uintptr_t{1} << 21U;
constexpr uintptr_t giant_size = uintptr_t{1} << 30U;
constexpr Entry kernel_data = pte::present | pte::write | pte::no_execute;

struct alignas(page_size) Table {
    Entry entry[entries];
};
constinit Table top{};
constinit Table middle{};
constinit Table ram_table{};
constinit Table image_table{};
constinit Table device_table{};

/// Rights of a page of the window's first 2 MiB, which are the image's and the firmware's.
Entry rights(uintptr_t page) {
    const auto is_in = [page](const char* begin, const char* end) {
        return page >= reinterpret_cast<uintptr_t>(begin) &&
               page < reinterpret_cast<uintptr_t>(end);
    };
    if (is_in(kerntoll_nano_image, kerntoll_nano_text_end)) {
        return pte::present;
    }
    if (is_in(kerntoll_nano_text_end, kerntoll_nano_constants_end)) {
        return pte::present | pte::no_execute;
    }
    return kernel_data;
}

/// A level above the last one, for the kernel alone.
Entry kernel_table(const Table& table) {
    return physical_of(&table) | pte::present | pte::write;
}

void map_device(uintptr_t address) {
    device_table.entry[address % giant_size / large_size] =
        address / large_size * large_size | kernel_data | pte::large | pte::uncached;
}

void use(uintptr_t physical) {
    asm volatile("movq %0, %%cr3" : : "r"(physical) : "memory");
}

struct Features {
    uint32_t eax, ebx, ecx, edx;
};
Features cpuid(uint32_t leaf) {
    Features all;
    asm volatile("cpuid"
                 : "=a"(all.eax), "=b"(all.ebx), "=c"(all.ecx), "=d"(all.edx)
                 : "a"(leaf), "c"(0));
    return all;
}

/// What the processor has of SMEP, SMAP and UMIP: user pages are neither executed nor touched by
/// the kernel, and user programs do not learn where its tables lie.
void protect() {
    constexpr uint32_t extensions = 7;  // leaf of CPUID
    constexpr uint32_t smep_of_ebx = 1U << 7U;
    constexpr uint32_t smap_of_ebx = 1U << 20U;
    constexpr uint32_t umip_of_ecx = 1U << 2U;
    constexpr uintptr_t umip = 1U << 11U;
    constexpr uintptr_t smep = 1U << 20U;
    constexpr uintptr_t smap = 1U << 21U;
    if (cpuid(0).eax < extensions) {
        return;
    }
    const Features features = cpuid(extensions);
    uintptr_t cr4;
    asm volatile("movq %%cr4, %0" : "=r"(cr4));
    cr4 |= (features.ebx & smep_of_ebx) != 0 ? smep : 0;
    cr4 |= (features.ebx & smap_of_ebx) != 0 ? smap : 0;
    cr4 |= (features.ecx & umip_of_ecx) != 0 ? umip : 0;
    asm volatile("movq %0, %%cr4" : : "r"(cr4) : "memory");
}

}  // namespace

void start_paging() {
    for (size_t i = 0; i < entries; ++i) {
        image_table.entry[i] = i * page_size | rights(window + i * page_size);
    }
    for (uintptr_t physical = large_size; physical < places.pool_end; physical += large_size) {
        ram_table.entry[physical / large_size] = physical | kernel_data | pte::large;
    }
    ram_table.entry[0] = kernel_table(image_table);
    map_device(local_apic);
    map_device(event_device);
    middle.entry[window / giant_size] = kernel_table(ram_table);
    middle.entry[local_apic / giant_size] = kernel_table(device_table);
    top.entry[0] = table_entry(physical_of(&middle));
    use(physical_of(&top));
    protect();
}

bool make_root(uintptr_t user_table, Root& root) {
    root.page = allocate_page();
    root.middle = allocate_page();
    if (root.page == 0 || root.middle == 0) {
        return false;
    }
    auto& own_middle = *static_cast<Table*>(at_physical(root.middle));
    own_middle = middle;
    own_middle.entry[0] = table_entry(user_table);
    static_cast<Table*>(at_physical(root.page))->entry[0] = table_entry(root.middle);
    return true;
}

void free_root(Root& root) {
    // Page 0 is not of the pool, and freeing it does nothing.
    free_page(root.page);
    free_page(root.middle);
    root = Root{};
}

void activate(const Root& root) {
    use(root.page);
}

}  // namespace kerntoll::nano::arch
