// SPDX-License-Identifier: MIT
// What programs know of loongarch64.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::programs {

/// Physical addresses that are not the user's; what a walk that looked at the lower bits alone
/// would take for the user's first pages; addresses of the kernel in its windows: a stack, text, a
/// device; the upper half.
inline constexpr uintptr_t kernel_addresses[] = {0x0060'0000,           0x4002'0000,
                                                 0x9000'0000'0020'0000, 0x9000'0000'0022'0000,
                                                 0x8000'0000'1fe0'01e0, 0xffff'ffff'ffff'f000};
/// The signal that touching one of them brings: an address whose upper bits are not all the same is
/// an error of its own.
constexpr long signal_of(uintptr_t kernel_address) {
    constexpr long bus = 7;
    constexpr long segment = 11;
    const auto window = kernel_address >> 60U;
    return window == 8 || window == 9 ? bus : segment;
}
/// The signal that executing data brings: that of an instruction that there is not, since QEMU
/// loses the page's bit (nano/arch/loongarch64/paging.hpp).
inline constexpr long signal_of_data = 4;
/// The first address beyond the user's.
inline constexpr uintptr_t user_limit = 0x4000'0000;
inline constexpr uintptr_t page_size = 16384;
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
    register long a0 asm("$a0") = a;
    register long a1 asm("$a1") = b;
    register long a2 asm("$a2") = c;
    register long a3 asm("$a3") = d;
    register long a7 asm("$a7") = number;
    asm volatile("syscall 0"
                 : "+r"(a0)
                 : "r"(a1), "r"(a2), "r"(a3), "r"(a7)
                 : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
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
inline constexpr size_t privileged_count = 7;
inline void run_privileged(size_t which) {
    switch (which) {
        case 0:
            asm volatile("csrrd $t0, 0x31" : : : "$t0");
            break;
        case 1:
            asm volatile("csrwr $zero, 0x0");
            break;
        case 2:
            asm volatile("ertn");
            break;
        case 3:
            asm volatile("invtlb 0, $zero, $zero");
            break;
        case 4:
            asm volatile("idle 0");
            break;
        case 5:
            asm volatile("tlbfill");
            break;
        default:
            asm volatile("iocsrrd.w $t0, $zero" : : : "$t0");
            break;
    }
}

/// Makes the registers in a signal's context as hostile as they can be.
inline void forge(void* context, uintptr_t pc) {
    auto* words = static_cast<uint64_t*>(context);
    words[176 / 8] = pc;
    for (size_t i = 1; i < 32; ++i) {
        words[176 / 8 + 1 + i] = 0x9000'0000'0020'0000;
    }
    words[728 / 8] = ~uint64_t{0};  // floating-point control
}
/// Goes on behind the instruction that brought a signal: one of those below.
inline void skip_instruction(void* context, int /*signal*/) {
    static_cast<uint64_t*>(context)[176 / 8] += 4;
}
/// An instruction that raises SIGTRAP, and ones that access memory.
inline void trap() {
    asm volatile("break 0");
}
inline void read_byte(uintptr_t address) {
    asm volatile("ld.b $t0, %0, 0" : : "r"(address) : "$t0", "memory");
}
inline void write_byte(uintptr_t address) {
    asm volatile("st.b $zero, %0, 0" : : "r"(address) : "memory");
}

}  // namespace kerntoll::programs
