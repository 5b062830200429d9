// SPDX-License-Identifier: MIT
// Registers: the user's in a frame, in a signal's context and in the units that the kernel does not
// touch.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"

namespace kerntoll::nano::arch {

[[nodiscard]] inline uintptr_t program_counter(const entry::Frame& frame) {
    return frame.address;
}
inline void set_program_counter(entry::Frame& frame, uintptr_t address) {
    frame.address = address;
}
[[nodiscard]] inline uintptr_t stack_pointer(const entry::Frame& frame) {
    return frame.reg(15);
}
[[nodiscard]] inline bool found_no_stack(entry::Cause /*cause*/) {
    return false;  // the stub looks at the stack before it uses it
}
[[nodiscard]] inline bool came_in_user_mode(const entry::Frame& /*frame*/) {
    return false;  // what comes there is the user's
}

/// v0 to v31, of which the first half of the first 16 is f0 to f15; the access registers, which
/// hold the thread's pointer; and the floating-point control register.
struct TaskRegisters {
    uint64_t vectors[32][2];
    uint32_t access[16];
    uint32_t control;
};

/// What a program starts with.
inline constexpr TaskRegisters initial_registers = {};

/// Bytes below the user's stack pointer that are the user's.
inline constexpr size_t red_zone = 0;

/// struct ucontext as Linux has it here (arch/s390/include/uapi/asm/{ucontext,sigcontext}.h).
struct UserContext {
    uint64_t flags;
    uint64_t link;
    uint64_t stack[3];
    uint64_t psw[2];
    uint64_t registers[16];
    uint32_t access[16];
    uint32_t float_control;
    uint32_t padding;
    uint64_t floats[16];
    uint64_t mask;
    unsigned char reserved[120];
    uint64_t vectors_low[16];  ///< the second halves of v0 to v15
    uint64_t vectors_high[16][2];
    unsigned char vectors_reserved[128];
};
static_assert(offsetof(UserContext, psw) == 40 && offsetof(UserContext, mask) == 384 &&
              sizeof(UserContext) == 1024);

/// What returns from a handler: svc 173.
inline constexpr uint16_t return_instructions[] = {0x0aad};

}  // namespace kerntoll::nano::arch
