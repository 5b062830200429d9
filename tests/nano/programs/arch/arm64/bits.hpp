// SPDX-License-Identifier: MIT
// What programs know of arm64.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::programs {

/// Addresses of the kernel: its text, its data, memory, a device; beyond its tables; the last page.
inline constexpr uintptr_t kernel_addresses[] = {0x4020'0000, 0x4022'0000,   0x4060'0000,
                                                 0xc900'0000, 0x1'0000'0000, 0xffff'ffff'ffff'f000};
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
inline constexpr bool whole_number = false;

/// Any call.
inline long raw_call(long number, long a, long b, long c, long d) {
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    register long x3 asm("x3") = d;
    register long x8 asm("x8") = number;
    asm volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x8) : "memory");
    return x0;
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
inline constexpr size_t privileged_count = 9;
inline void run_privileged(size_t which) {
    switch (which) {
        case 0:
            asm volatile("msr ttbr0_el1, xzr");
            break;
        case 1:
            asm volatile("mrs x0, sctlr_el1" : : : "x0");
            break;
        case 2:
            asm volatile("eret");
            break;
        case 3:
            asm volatile("tlbi vmalle1");
            break;
        case 4:
            asm volatile("msr vbar_el1, xzr");
            break;
        case 5:
            asm volatile("msr daifset, #2");
            break;
        case 6:
            asm volatile("hvc #0");
            break;
        case 7:
            asm volatile("mrs x0, tpidr_el1" : : : "x0");
            break;
        default:
            asm volatile("hlt #0");
            break;
    }
}

// In struct ucontext, by 8 bytes: x0 stands at 23, sp at 54, pc at 55, pstate at 56.
/// Makes the registers in a signal's context as hostile as they can be.
inline void forge(void* context, uintptr_t pc) {
    auto* words = static_cast<uint64_t*>(context);
    for (size_t i = 23; i < 55; ++i) {
        words[i] = 0x4020'0000;
    }
    words[55] = pc;
    words[56] = 0xf00003c5;  // the kernel's level, everything masked
}
/// Goes on behind the instruction that brought a signal: one of those below.
inline void skip_instruction(void* context, int /*signal*/) {
    static_cast<uint64_t*>(context)[55] += 4;
}
/// An instruction that raises SIGTRAP, and ones that access memory.
inline void trap() {
    asm volatile("brk #0");
}
inline void read_byte(uintptr_t address) {
    asm volatile("ldrb wzr, [%0]" : : "r"(address) : "memory");
}
inline void write_byte(uintptr_t address) {
    asm volatile("strb wzr, [%0]" : : "r"(address) : "memory");
}

/// Returns from a handler: these ports leave it to the program.
#define KERNTOLL_HAS_RESTORER
[[gnu::naked]] inline void kerntoll_restorer() {
    asm("mov x8, #139\n\tsvc #0");
}

}  // namespace kerntoll::programs
