// SPDX-License-Identifier: MIT
// What programs know of s390x.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::programs {

/// Physical addresses of the kernel, which are no addresses of a user: its lowcore, text, data and
/// memory beyond a user's tables.
inline constexpr uintptr_t kernel_addresses[] = {0x200, 0x10'0000, 0x11'8000, 0x4000'0000,
                                                 0xffff'ffff'ffff'f000};
/// The signal that touching one of them brings.
constexpr long signal_of(uintptr_t /*kernel_address*/) {
    return 11;
}
/// The signal that executing data brings.
inline constexpr long signal_of_data = 11;
/// The first address beyond the user's.
inline constexpr uintptr_t user_limit = 0x2000'0000;
inline constexpr uintptr_t page_size = 4096;
/// What a handler is told of an address that failed: its page.
constexpr uintptr_t told(uintptr_t address) {
    return address & ~(page_size - 1);
}

/// Numbers that the agent has no use for.
inline constexpr long call_kill = 37;
inline constexpr long call_sigreturn = 173;
inline constexpr long call_yield = 158;

/// Whether the upper half of a number means something.
inline constexpr bool whole_number = false;

/// Any call.
inline long raw_call(long number, long a, long b, long c, long d) {
    register long r1 asm("r1") = number;
    register long r2 asm("r2") = a;
    register long r3 asm("r3") = b;
    register long r4 asm("r4") = c;
    register long r5 asm("r5") = d;
    asm volatile("svc 0" : "+r"(r2) : "r"(r1), "r"(r3), "r"(r4), "r"(r5) : "memory");
    return r2;
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

/// What returns from a handler, for sigactions that name it (signals.hpp).
#define KERNTOLL_HAS_RESTORER
extern "C" void kerntoll_restorer();
asm(".pushsection .text\n\t"
    ".type kerntoll_restorer, @function\n"
    "kerntoll_restorer:\n\t"
    "svc 173\n\t"
    ".popsection");

/// Instructions that a user must not execute, and the signal that ends those who do.
inline constexpr long privileged_signal = 4;
inline constexpr size_t privileged_count = 7;
inline void run_privileged(size_t which) {
    uint64_t word[2] = {0, 0};
    switch (which) {
        case 0:
            asm volatile("lctlg %%c1, %%c1, %0" : : "Q"(word[0]));
            break;
        case 1:
            asm volatile("stctg %%c0, %%c0, %0" : "=Q"(word[0]));
            break;
        case 2:
            asm volatile("lpswe 0(%0)" : : "a"(word), "m"(word) : "cc");
            break;
        case 3:
            asm volatile("ptlb");
            break;
        case 4:
            asm volatile("stosm %0, 0" : "=Q"(word[0]));
            break;
        case 5:
            asm volatile(".insn rre, 0xb2200000, %0, %1" : : "d"(0UL), "a"(word) : "cc", "memory");
            break;
        default:
            asm volatile("sacf 0x300");  // the home space
            break;
    }
}

/// Makes the registers in a signal's context as hostile as they can be.
inline void forge(void* context, uintptr_t pc) {
    auto* words = static_cast<uint64_t*>(context);
    words[40 / 8] = 0;  // supervisor state, no translation, and what makes no PSW at all
    words[40 / 8 + 1] = pc;
    for (size_t i = 0; i < 16; ++i) {
        words[56 / 8 + i] = 0x10'0000;
    }
    words[248 / 8] = ~uint64_t{0};  // floating-point control
}
/// Goes on behind the instruction that brought a signal: one of those below. A trap's address is
/// behind it already.
inline void skip_instruction(void* context, int signal) {
    constexpr int segment = 11;
    static_cast<uint64_t*>(context)[48 / 8] += signal == segment ? 4 : 0;
}
/// An instruction that raises SIGTRAP, and ones that access memory.
inline void trap() {
    asm volatile(".short 1");
}
inline void read_byte(uintptr_t address) {
    asm volatile("ic %%r0, 0(%0)" : : "a"(address) : "r0", "memory");
}
inline void write_byte(uintptr_t address) {
    asm volatile("mvi 0(%0), 0" : : "a"(address) : "memory");
}

}  // namespace kerntoll::programs
