// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"

namespace kerntoll::nano::arch {

[[nodiscard]] inline uintptr_t program_counter(const entry::Frame& frame) {
    return frame.rip;
}
inline void set_program_counter(entry::Frame& frame, uintptr_t address) {
    frame.rip = address;
}
[[nodiscard]] inline uintptr_t stack_pointer(const entry::Frame& frame) {
    return frame.rsp;
}
[[nodiscard]] inline bool found_no_stack(entry::Cause cause) {
    return cause == VECTOR_DOUBLE_FAULT;
}
[[nodiscard]] inline bool came_in_user_mode(const entry::Frame& /*frame*/) {
    return false;  // what comes there is the user's
}

/// What the kernel does not touch and another task may: x87 and SSE as FXSAVE stores them (AVX
/// stays off, since CR4.OSXSAVE is), and the segment selectors.
struct alignas(16) TaskRegisters {
    uint16_t x87_control;
    unsigned char x87_rest[22];
    uint32_t mxcsr;
    uint32_t mxcsr_mask;  ///< which of its bits exist, as FXSAVE tells; 0 is that of the first ones
    unsigned char registers[480];
    uint16_t ds, es, fs, gs;
};
static_assert(offsetof(TaskRegisters, ds) == 512);

/// What a program starts with: all exceptions masked, as the ABI has it.
inline constexpr TaskRegisters initial_registers = {.x87_control = 0x37f,
                                                    .x87_rest = {},
                                                    .mxcsr = 0x1f80,
                                                    .mxcsr_mask = 0,
                                                    .registers = {},
                                                    .ds = 0,
                                                    .es = 0,
                                                    .fs = 0,
                                                    .gs = 0};

/// Bytes below the user's stack pointer that are the user's (System V ABI, 3.2.2).
inline constexpr size_t red_zone = 128;

/// struct ucontext as Linux has it on x86-64 (arch/x86/include/uapi/asm/{ucontext,sigcontext}.h),
/// and behind it what its `float_state` points at.
struct alignas(16) UserContext {
    uint64_t flags;
    uint64_t link;
    uint64_t stack[3];
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
    uint64_t rflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap_number, old_mask, fault_address;
    uintptr_t float_state;
    uint64_t reserved[8];
    uint64_t mask;
    alignas(16) unsigned char floats[512];
};
static_assert(offsetof(UserContext, r8) == 40 && offsetof(UserContext, rip) == 168 &&
              offsetof(UserContext, float_state) == 224 && offsetof(UserContext, mask) == 296);

/// mov $15, %eax; syscall.
inline constexpr unsigned char return_instructions[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};

}  // namespace kerntoll::nano::arch
