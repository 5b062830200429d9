// SPDX-License-Identifier: MIT
// Takes the place of nano/calls/umask.cpp in images that are to fail: does what `bug` names, which
// bug_test.cpp fills in.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/runtime.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

enum Bug {
    none,
    read_nowhere,
    read_user_data,
    write_user_data,
    execute_user_code,
    write_kernel_text,
    write_constant,
    execute_kernel_data,
    overflow_stack,
    illegal_instruction,
    lost_stack,
    endless_loop,
};
constexpr Bug bug = none;

volatile int seen;
alignas(16) unsigned char data[16];
const volatile int constant = 1;

/// Deeper and deeper; the sum behind the call keeps it one.
[[gnu::noinline]] int descend(int depth) {
    volatile char here[256];
    here[0] = static_cast<char>(depth);
    return (depth < INT32_MAX ? descend(depth + 1) : 0) + here[0];
}

/// Comes back at once, from wherever it stands.
[[gnu::noinline]] void come_back() {
    asm volatile("");
}
void call(uintptr_t address) {
    reinterpret_cast<void (*)()>(address)();
}
/// From here on there is no stack.
void lose_stack() {
#if defined(__x86_64__)
    asm volatile("movq $16, %rsp\n\tud2");
#elif defined(__aarch64__)
    asm volatile("mov x0, #16\n\tmov sp, x0\n\tudf #0");
#elif defined(__riscv)
    asm volatile("li sp, 16\n\t.word 0");
#elif defined(__s390x__)
    asm volatile("lghi %r15, 16\n\t.short 0");
#else
    asm volatile("li.w $sp, 16\n\t.word 0");
#endif
}
volatile int& word_at(uintptr_t address) {
    return *reinterpret_cast<volatile int*>(address);
}

}  // namespace

long calls::umask(entry::Frame& frame) {
    const uintptr_t user_data = entry::argument(frame, 0);
    const uintptr_t user_code = entry::argument(frame, 1);
    switch (bug) {
        case none:
            break;
        case read_nowhere:
            seen = word_at(0x2000'0000);
            break;
        case read_user_data:
            seen = word_at(user_data);
            break;
        case write_user_data:
            word_at(user_data) = 2;
            break;
        case execute_user_code:
            call(user_code);
            break;
        case write_kernel_text:
            word_at(reinterpret_cast<uintptr_t>(&calls::getpid)) = 2;
            break;
        case write_constant:
            word_at(reinterpret_cast<uintptr_t>(&constant)) = 2;
            break;
        case execute_kernel_data:
            memcpy(data, reinterpret_cast<const void*>(come_back), sizeof data);
            call(reinterpret_cast<uintptr_t>(data));
            break;
        case overflow_stack:
            seen = descend(0);
            break;
        case illegal_instruction:
            __builtin_trap();
        case lost_stack:
            lose_stack();
            break;
        case endless_loop:
            entry::port::interrupts_off();
            for (;;) {
                asm volatile("");
            }
    }
    return error::busy;
}

}  // namespace kerntoll::nano
