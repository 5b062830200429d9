// SPDX-License-Identifier: MIT
// Registers: the user's in a frame, in a signal's context and in the floating-point unit.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"

namespace kerntoll::nano::arch {

[[nodiscard]] inline uintptr_t program_counter(const entry::Frame& frame) {
    return frame.pc;
}
inline void set_program_counter(entry::Frame& frame, uintptr_t address) {
    frame.pc = address;
}
[[nodiscard]] inline uintptr_t stack_pointer(const entry::Frame& frame) {
    return frame.reg(2);
}
[[nodiscard]] inline bool found_no_stack(entry::Cause /*cause*/) {
    return false;  // the stub looks at the stack before it uses it
}
[[nodiscard]] inline bool came_in_user_mode(const entry::Frame& /*frame*/) {
    return false;  // what comes there is the user's
}

/// f0 to f31 and their control register.
struct TaskRegisters {
    uint64_t registers[32];
    uint64_t control;
};

/// What a program starts with.
inline constexpr TaskRegisters initial_registers = {};

/// Bytes below the user's stack pointer that are the user's.
inline constexpr size_t red_zone = 0;

/// struct ucontext as Linux has it here (arch/riscv/include/uapi/asm/{ucontext,sigcontext}.h).
struct alignas(16) UserContext {
    uint64_t flags;
    uint64_t link;
    uint64_t stack[3];
    uint64_t mask;
    unsigned char reserved[120];
    alignas(16) uint64_t registers[32];  ///< pc, then x1 to x31
    uint64_t floats[32];
    uint32_t float_control;
    unsigned char float_rest[268];  ///< up to the length of the quad-precision state
};
static_assert(offsetof(UserContext, registers) == 176 && sizeof(UserContext) == 960);

/// What returns from a handler: li a7, 139; ecall.
inline constexpr uint32_t return_instructions[] = {0x08b00893, 0x00000073};

}  // namespace kerntoll::nano::arch
