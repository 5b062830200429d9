// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/memory.hpp"

// Borders of the image's sections, page-aligned (link.ld).
extern "C" char kerntoll_nano_image[], kerntoll_nano_text_end[], kerntoll_nano_constants_end[];

namespace kerntoll::nano::arch {

namespace {

constexpr size_t entries = 512;
constexpr uintptr_t middle_size = uintptr_t{1} << 21U;
constexpr uintptr_t top_size = uintptr_t{1} << 30U;
constexpr uintptr_t ram = 0x4000'0000;
constexpr uintptr_t image = 0x4020'0000;
constexpr Entry kernel_data =
    pte::memory | pte::shared | pte::accessed | pte::no_kernel_execute | pte::no_user_execute;
constexpr Entry kernel_device = pte::accessed | pte::no_kernel_execute | pte::no_user_execute;
#ifdef __ARM_FEATURE_BTI_DEFAULT
constexpr Entry landing_pads = pte::guarded;
constexpr uintptr_t check_landing_pads = uintptr_t{1} << 36U;  // SCTLR_EL1.BT1
#else
constexpr Entry landing_pads = 0;
constexpr uintptr_t check_landing_pads = 0;
#endif

struct alignas(page_size) Table {
    Entry entry[entries];
};
constinit Table kernel_root{};
constinit Table ram_table{};
constinit Table image_table{};

/// Rights of a page of the image's 2 MiB.
Entry rights(uintptr_t page) {
    constexpr Entry constants = kernel_data | pte::read_only;
    if (page < reinterpret_cast<uintptr_t>(kerntoll_nano_text_end)) {
        return (constants & ~pte::no_kernel_execute) | landing_pads;
    }
    if (page < reinterpret_cast<uintptr_t>(kerntoll_nano_constants_end)) {
        return constants;
    }
    return kernel_data;
}

/// Where translation is off or has another root, what the processor has cached is of no use.
void use(const Table& root) {
    asm volatile(
        "dsb ish\n\t"
        "msr ttbr0_el1, %0\n\t"
        "isb\n\t"
        "tlbi vmalle1\n\t"
        "ic iallu\n\t"
        "dsb ish\n\t"
        "isb"
        :
        : "r"(physical_of(&root))
        : "memory");
}

/// What the kernel's and the user's translation and a few other things are like.
void turn_on() {
    constexpr uint64_t attributes = 0xff00;  // MAIR_EL1: 0 device, 1 memory, cached
    uint64_t sizes;
    asm("mrs %0, id_aa64mmfr0_el1" : "=r"(sizes));
    constexpr uint64_t longest = 5;  // 48 bits, as far as 4 KiB pages go
    const uint64_t physical_size = (sizes & 0xfU) < longest ? sizes & 0xfU : longest;
    constexpr uint64_t address_bits = 32;  // T0SZ: 64 less than this many
    constexpr uint64_t cached_walks = 1U << 8U | 1U << 10U | 3U << 12U;
    constexpr uint64_t no_upper_half = 1U << 23U;  // EPD1
    const uint64_t translation =
        (64 - address_bits) | cached_walks | no_upper_half | physical_size << 32U;
    asm volatile("msr mair_el1, %0\n\tmsr tcr_el1, %1\n\tisb"
                 :
                 : "r"(attributes), "r"(translation)
                 : "memory");
    uint64_t control;
    asm volatile("mrs %0, sctlr_el1" : "=r"(control));
    constexpr uint64_t on = 1U << 0U       // M: translation
                            | 1U << 2U     // C: data cache
                            | 1U << 3U     // SA: the stack pointer is aligned, in EL1
                            | 1U << 4U     // SA0: and in EL0
                            | 1U << 12U    // I: instruction cache
                            | 1U << 14U    // DZE: users may zero a cache line
                            | 1U << 15U    // UCT: and see how long it is
                            | 1U << 16U    // nTWI: wfi and wfe do not trap
                            | 1U << 18U    // nTWE
                            | 1U << 19U    // WXN: what may be written is not executed
                            | 1U << 26U;   // UCI: users may clean caches by address
    constexpr uint64_t off = 1U << 1U      // A: alignment is checked
                             | 1U << 9U    // UMA: users mask interrupts
                             | 1U << 23U;  // SPAN: PAN stays as it was in an exception
    control = ((control | on) & ~off) | check_landing_pads;
    asm volatile("msr sctlr_el1, %0\n\tisb" : : "r"(control) : "memory");
}

/// User memory is out of the kernel's reach from here on, where the processor has PAN; exceptions
/// set it again (SPAN = 0).
void set_pan() {
    uint64_t features;
    asm("mrs %0, id_aa64mmfr1_el1" : "=r"(features));
    if ((features >> 20U & 0xfU) != 0) {
        asm volatile(".inst 0xd500419f // msr pan, #1" : : : "memory");
    }
}

}  // namespace

void start_paging() {
    for (size_t i = 0; i < entries; ++i) {
        const uintptr_t page = image + i * page_size;
        image_table.entry[i] = page | rights(page) | pte::table_or_page;
    }
    for (uintptr_t physical = ram; physical < places.pool_end; physical += middle_size) {
        ram_table.entry[(physical - ram) / middle_size] = physical | kernel_data | pte::block;
    }
    ram_table.entry[(image - ram) / middle_size] = table_entry(physical_of(&image_table));
    kernel_root.entry[ram / top_size] = table_entry(physical_of(&ram_table));
    kernel_root.entry[devices / top_size] = kernel_device | pte::block;
    use(kernel_root);
    turn_on();
    set_pan();
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
    free_page(root.page);  // 0 is not of the pool, and freeing it does nothing
    root.page = 0;
}

void activate(const Root& root) {
    use(*static_cast<const Table*>(at_physical(root.page)));
}

}  // namespace kerntoll::nano::arch
