// SPDX-License-Identifier: MIT
// What programs know of x86_64.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::programs {

/// Addresses of the kernel: its text, its data, memory, a device, the last page; and one that is
/// not canonical.
inline constexpr uintptr_t kernel_addresses[] = {
    0x4010'0000, 0x4012'0000, 0x4040'0000, 0xfee0'0000, 0xffff'ffff'ffff'f000, 0x8000'0000'0000};
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
inline constexpr long call_kill = 62;
inline constexpr long call_sigreturn = 15;
inline constexpr long call_yield = 24;

/// Whether the upper half of a number means something.
inline constexpr bool whole_number = false;

/// Any call.
inline long raw_call(long number, long a, long b, long c, long d) {
    register long r10 asm("r10") = d;
    asm volatile("syscall"
                 : "+a"(number)
                 : "D"(a), "S"(b), "d"(c), "r"(r10)
                 : "rcx", "r11", "memory");
    return number;
}

/// What stands where its result would be when a call is handed back by user dispatch.
inline long undispatched_result(long number, long /*first*/) {
    return number;
}

/// A restartable sequence that ends only by being aborted (work.S).
extern "C" long kerntoll_run_section(uint64_t* field, long signature);
inline long run_section(uint64_t* field, long signature) {
    return kerntoll_run_section(field, signature);
}

/// Instructions that a user must not execute, and the signal that ends those who do.
inline constexpr long privileged_signal = 11;
inline constexpr size_t privileged_count = 14;
inline void run_privileged(size_t which) {
    static char memory[16];
    switch (which) {
        case 0:
            asm volatile("movq %0, %%cr3" : : "r"(0UL));
            break;
        case 1:
            asm volatile("rdmsr" : : "c"(0xc0000082) : "rax", "rdx");
            break;
        case 2:
            asm volatile("wrmsr" : : "c"(0xc0000082), "a"(0), "d"(0));
            break;
        case 3:
            asm volatile("lidt %0" : : "m"(memory));
            break;
        case 4:
            asm volatile("cli");
            break;
        case 5:
            asm volatile("hlt");
            break;
        case 6:
            asm volatile("outb %%al, $0xf4" : : "a"(1));
            break;
        case 7:
            asm volatile("sgdt %0" : "=m"(memory));  // UMIP
            break;
        case 8:
            asm volatile("swapgs");
            break;
        case 9:
            asm volatile("sysretq" : : "c"(0), "r"(0) : "r11");
            break;
        case 10:
            asm volatile("int $0x80" : : "a"(1));
            break;
        case 11:
            asm volatile("int $8");  // as if it were a double fault
            break;
        case 12:
            asm volatile("invlpg %0" : : "m"(memory));
            break;
        default:
            asm volatile("movl %0, %%ss" : : "r"(0x10));  // the kernel's
            break;
    }
}

// In struct ucontext, by 8 bytes: r8 stands at 5, rip at 21, the flags at 22, the selectors at 23,
// the x87 and SSE state at 38.
/// Makes the registers in a signal's context as hostile as they can be.
inline void forge(void* context, uintptr_t pc) {
    auto* words = static_cast<uint64_t*>(context);
    for (size_t i = 5; i < 21; ++i) {
        words[i] = 0x4010'0000;
    }
    words[21] = pc;
    words[22] = ~uint64_t{0x100};            // all flags, IO privilege too, but single step
    words[23] = 0x0010'0000'0000'0008;       // the kernel's cs and ss
    for (size_t i = 38; i < 38 + 64; ++i) {  // MXCSR has bits that do not exist
        words[i] = ~uint64_t{0};
    }
}
/// Goes on behind the instruction that brought a signal: one of those below.
inline void skip_instruction(void* context, int /*signal*/) {
    static_cast<uint64_t*>(context)[21] += 2;
}
/// An instruction that raises SIGTRAP, and ones that access memory, all of two bytes. Behind the
/// trap, which is told by the address behind it, as many that do nothing.
inline void trap() {
    asm volatile("int3\n\tnop\n\tnop");
}
inline void read_byte(uintptr_t address) {
    asm volatile("movb (%0), %%al" : : "D"(address) : "rax", "memory");
}
inline void write_byte(uintptr_t address) {
    asm volatile("movb %%al, (%0)" : : "D"(address), "a"(0) : "memory");
}

/// Returns from a handler: these ports leave it to the program.
#define KERNTOLL_HAS_RESTORER
[[gnu::naked]] inline void kerntoll_restorer() {
    asm("movl $15, %eax\n\tsyscall");
}

}  // namespace kerntoll::programs
