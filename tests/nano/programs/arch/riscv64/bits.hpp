// SPDX-License-Identifier: MIT
// What programs know of riscv64.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::programs {

/// Addresses of the kernel: its text, its data, a device.
inline constexpr uintptr_t kernel_addresses[] = {0x8000'0000, 0x8002'0000, 0x8040'0000, 0xd000'0000,
                                                 0xffff'ffff'ffff'f000};
/// The signal that touching one of them brings.
constexpr long signal_of(uintptr_t /*kernel_address*/) {
    return 11;
}
/// The signal that executing data brings.
inline constexpr long signal_of_data = 11;
/// The first address beyond the user's.
inline constexpr uintptr_t user_limit = 0x4000'0000;
inline constexpr uintptr_t page_size = 4096;
/// What a handler is told of an address that failed.
constexpr uintptr_t told(uintptr_t address) {
    return address;
}

/// Numbers that the agent has no use for.
inline constexpr long call_kill = 129;
inline constexpr long call_sigreturn = 139;
inline constexpr long call_yield = 124;

/// Whether the upper half of a number means something.
inline constexpr bool whole_number = true;

/// Any call.
inline long raw_call(long number, long a, long b, long c, long d) {
    register long a0 asm("a0") = a;
    register long a1 asm("a1") = b;
    register long a2 asm("a2") = c;
    register long a3 asm("a3") = d;
    register long a7 asm("a7") = number;
    asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a7) : "memory");
    return a0;
}

/// What stands where its result would be when a call is handed back by user dispatch.
inline long undispatched_result(long /*number*/, long first) {
    return first;
}

/// A restartable sequence that ends only by being aborted (work.S).
extern "C" long kerntoll_run_section(uint64_t* field, long signature);
inline long run_section(uint64_t* field, long signature) {
    return kerntoll_run_section(field, signature);
}

/// Instructions that a user must not execute, and the signal that ends those who do.
inline constexpr long privileged_signal = 4;
inline constexpr size_t privileged_count = 6;
inline void run_privileged(size_t which) {
    switch (which) {
        case 0:
            asm volatile("csrw satp, zero");
            break;
        case 1:
            asm volatile("csrr t0, sstatus" : : : "t0");
            break;
        case 2:
            asm volatile("sret");
            break;
        case 3:
            asm volatile("sfence.vma");
            break;
        case 4:
            asm volatile("csrw stvec, zero");
            break;
        default:
            asm volatile("mret");
            break;
    }
}

/// Makes the registers in a signal's context as hostile as they can be.
inline void forge(void* context, uintptr_t pc) {
    auto* words = static_cast<uint64_t*>(context);
    words[176 / 8] = pc;
    for (size_t i = 1; i < 32; ++i) {
        words[176 / 8 + i] = 0x8000'0000;
    }
}
/// Goes on behind the instruction that brought a signal: one of those below.
inline void skip_instruction(void* context, int /*signal*/) {
    static_cast<uint64_t*>(context)[176 / 8] += 4;
}
/// An instruction that raises SIGTRAP, and ones that access memory.
inline void trap() {
    asm volatile(".option push\n\t.option norvc\n\tebreak\n\t.option pop");
}
inline void read_byte(uintptr_t address) {
    asm volatile(".option push\n\t.option norvc\n\tlb zero, 0(%0)\n\t.option pop"
                 :
                 : "r"(address)
                 : "memory");
}
inline void write_byte(uintptr_t address) {
    asm volatile(".option push\n\t.option norvc\n\tsb zero, 0(%0)\n\t.option pop"
                 :
                 : "r"(address)
                 : "memory");
}
}  // namespace kerntoll::programs
