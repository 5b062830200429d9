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
    return frame.reg(3);
}
[[nodiscard]] inline bool found_no_stack(entry::Cause /*cause*/) {
    return false;  // the stub looks at the stack before it uses it
}
[[nodiscard]] inline bool came_in_user_mode(const entry::Frame& /*frame*/) {
    return false;  // what comes there is the user's
}

/// f0 to f31, the condition flags, a byte each, and the control register.
struct TaskRegisters {
    uint64_t registers[32];
    uint64_t conditions;
    uint64_t control;
};

/// What a program starts with.
inline constexpr TaskRegisters initial_registers = {};

/// Bytes below the user's stack pointer that are the user's.
inline constexpr size_t red_zone = 0;

/// What comes behind the general registers of a signal's context, one record after the other.
struct ContextRecord {
    static constexpr uint32_t end = 0;
    static constexpr uint32_t floats = 0x46505501;  // FPU_CTX_MAGIC

    uint32_t magic;
    uint32_t size;
    uint64_t padding;
};

/// struct ucontext as Linux has it here (arch/loongarch/include/uapi/asm/{ucontext,sigcontext}.h),
/// with the records that it has for a task that uses floating point.
struct alignas(16) UserContext {
    uint64_t flags;
    uint64_t link;
    uint64_t stack[3];
    uint64_t mask;
    unsigned char reserved[120];
    alignas(16) uint64_t pc;
    uint64_t registers[32];
    uint32_t used;
    alignas(16) ContextRecord float_record;
    uint64_t floats[32];
    uint64_t conditions;
    uint32_t control;
    alignas(16) ContextRecord end_record;
};
static_assert(offsetof(UserContext, pc) == 176 && offsetof(UserContext, float_record) == 448 &&
              offsetof(UserContext, end_record) == 736);

/// What returns from a handler: ori a7, zero, 139; syscall 0.
inline constexpr uint32_t return_instructions[] = {0x03822c0b, 0x002b0000};

}  // namespace kerntoll::nano::arch
