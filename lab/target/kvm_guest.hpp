// SPDX-License-Identifier: MIT
// The guest of the KVM self-test: the bytes of a machine in long mode whose user code makes two
// system calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kerntoll::lab::kvm_guest {

// The guest's physical memory; its page tables map it to the same virtual addresses.
constexpr std::uint64_t memory_size = 0x20000;
constexpr std::uint64_t top_table = 0x1000;      ///< PML4, for CR3
constexpr std::uint64_t segment_table = 0x5000;  ///< GDT
constexpr std::uint64_t interrupt_table = 0x6000;
constexpr std::uint64_t task_segment = 0x7000;
constexpr std::uint64_t fault_stubs = 0x8000;
constexpr std::uint64_t kernel_stack_top = 0xa000;
constexpr std::uint64_t handler = 0x10000;  ///< a page that user code cannot touch
constexpr std::uint64_t user_code = 0x11000;
constexpr std::uint64_t user_stack_top = 0x13000;

constexpr std::uint16_t kernel_code_selector = 0x08;
constexpr std::uint16_t user_data_selector = 0x23;
constexpr std::uint16_t user_code_selector = 0x2b;
constexpr std::uint16_t task_selector = 0x30;
constexpr std::uint32_t segment_table_limit = 0x3f;
constexpr std::uint32_t interrupt_table_limit = 32 * 16 - 1;

/// SYSCALL loads CS from bits 47:32 and SYSRET from bits 63:48 (Intel SDM volume 4, IA32_STAR).
constexpr std::uint64_t star = (0x1bULL << 48U) | (std::uint64_t{kernel_code_selector} << 32U);

constexpr std::uint16_t call_port = 0xf0;   ///< the handler writes EAX, the call's number
constexpr std::uint16_t fault_port = 0xf1;  ///< an exception writes its vector
constexpr unsigned calls = 2;

/// Fills the guest's memory, which is zero before.
void write_memory(std::span<std::byte> memory);

}  // namespace kerntoll::lab::kvm_guest
