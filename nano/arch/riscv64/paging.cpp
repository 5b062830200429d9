// SPDX-License-Identifier: MIT
#include "nano/memory.hpp"

// Borders of the image's sections, page-aligned (link.ld).
extern "C" char kerntoll_nano_image[], kerntoll_nano_text_end[], kerntoll_nano_constants_end[],
    kerntoll_nano_image_end[];

namespace kerntoll::nano::arch {

namespace {

constexpr size_t entries = 512;
constexpr uintptr_t middle_size = uintptr_t{1} << 21U;
constexpr uintptr_t top_size = uintptr_t{1} << 30U;
constexpr uintptr_t ram = 0x8000'0000;
constexpr Entry kernel_data = pte::read | pte::write | pte::accessed | pte::dirty;

struct alignas(page_size) Table {
    Entry entry[entries];
};
constinit Table kernel_root{};
constinit Table ram_table{};
constinit Table image_table{};

uintptr_t address(const char* label) {
    return reinterpret_cast<uintptr_t>(label);
}

/// Rights of a page within the first 2 MiB of RAM.
Entry rights(uintptr_t page) {
    constexpr Entry always = pte::read | pte::accessed;
    if (page < address(kerntoll_nano_text_end)) {
        return always | pte::execute;
    }
    if (page < address(kerntoll_nano_constants_end)) {
        return always;
    }
    return kernel_data;
}

void use(const Table& root) {
    constexpr uint64_t sv39 = uint64_t{8} << 60U;
    // The last word is fence.i: instructions may have been written since (the assembler wants its
    // extension named, and every processor has it).
    asm volatile("csrw satp, %0\n\tsfence.vma\n\t.word 0x100f"
                 :
                 : "r"(sv39 | physical_of(&root) >> 12U)
                 : "memory");
}

}  // namespace

void start_paging() {
    for (size_t i = 0; i < entries; ++i) {
        const uintptr_t page = ram + i * page_size;
        image_table.entry[i] = entry_for(page, rights(page));
        ram_table.entry[i] = entry_for(ram + i * middle_size, kernel_data);
    }
    ram_table.entry[0] = table_entry(physical_of(&image_table));
    kernel_root.entry[ram / top_size] = table_entry(physical_of(&ram_table));
    kernel_root.entry[devices / top_size] = entry_for(0, kernel_data);
    use(kernel_root);
}

bool make_root(uintptr_t user_table, Root& root) {
    root.page = allocate_page();
    if (root.page == 0) {
        return false;
    }
    Table& table = *static_cast<Table*>(at_physical(root.page));
    table = kernel_root;
    table.entry[0] = table_entry(user_table);
    return true;
}

void free_root(Root& root) {
    if (root.page != 0) {
        free_page(root.page);
        root.page = 0;
    }
}

void activate(const Root& root) {
    use(*static_cast<const Table*>(at_physical(root.page)));
}

}  // namespace kerntoll::nano::arch
