// SPDX-License-Identifier: MIT
#include "lab/target/kvm_guest.hpp"

#include <array>
#include <cstring>

namespace kerntoll::lab::kvm_guest {
namespace {

void put64(std::span<std::byte> memory, std::uint64_t at, std::uint64_t value) {
    std::memcpy(memory.data() + at, &value, sizeof(value));
}

template <std::size_t Size>
void put_code(std::span<std::byte> memory, std::uint64_t at,
              const std::array<std::uint8_t, Size>& code) {
    std::memcpy(memory.data() + at, code.data(), Size);
}

// Page table bits.
constexpr std::uint64_t present = 1;
constexpr std::uint64_t writable = 2;
constexpr std::uint64_t user = 4;

void write_page_tables(std::span<std::byte> memory) {
    constexpr std::uint64_t page = 0x1000;
    put64(memory, top_table, (top_table + page) | present | writable | user);
    put64(memory, top_table + page, (top_table + 2 * page) | present | writable | user);
    put64(memory, top_table + 2 * page, (top_table + 3 * page) | present | writable | user);
    for (std::uint64_t address = 0; address < memory_size; address += page) {
        // Only user pages are the user's: a call that arrives in ring 3 must not get through.
        const std::uint64_t access = address >= user_code ? user : 0;
        put64(memory, top_table + 3 * page + address / page * 8,
              address | present | writable | access);
    }
}

void write_segments(std::span<std::byte> memory) {
    // The order that STAR asks for: kernel code and data, 32-bit user code (unused), user data and
    // code, task segment.
    put64(memory, segment_table + 0x08, 0x00af9b000000ffff);
    put64(memory, segment_table + 0x10, 0x00cf93000000ffff);
    put64(memory, segment_table + 0x18, 0x00cffb000000ffff);
    put64(memory, segment_table + 0x20, 0x00cff3000000ffff);
    put64(memory, segment_table + 0x28, 0x00affb000000ffff);
    put64(memory, segment_table + 0x30, 0x00008b0000000067 | task_segment << 16U);
    // RSP0, the stack on which an exception in user code arrives.
    put64(memory, task_segment + 4, kernel_stack_top);
}

void write_fault_stubs(std::span<std::byte> memory) {
    for (std::uint8_t vector = 0; vector < 32; ++vector) {
        const std::uint64_t stub = fault_stubs + vector * 16ULL;
        // mov $vector, %al; out %al, $0xf1; hlt
        put_code(memory, stub, std::to_array<std::uint8_t>({0xb0, vector, 0xe6, 0xf1, 0xf4}));
        constexpr std::uint64_t interrupt_gate = 0x8e00ULL << 32U;
        put64(memory, interrupt_table + vector * 16ULL,
              interrupt_gate | std::uint64_t{kernel_code_selector} << 16U | stub);
    }
}

}  // namespace

void write_memory(std::span<std::byte> memory) {
    write_page_tables(memory);
    write_segments(memory);
    write_fault_stubs(memory);
    // out %eax, $0xf0; sysretq
    put_code(memory, handler, std::to_array<std::uint8_t>({0xe7, 0xf0, 0x48, 0x0f, 0x07}));
    // mov $1, %eax; syscall; mov $2, %eax; syscall; jmp .
    put_code(memory, user_code,
             std::to_array<std::uint8_t>({0xb8, 1, 0, 0, 0, 0x0f, 0x05,  //
                                          0xb8, 2, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xfe}));
}

}  // namespace kerntoll::lab::kvm_guest
