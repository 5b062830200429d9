// SPDX-License-Identifier: MIT
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
[[nodiscard]] inline bool came_in_user_mode(const entry::Frame& frame) {
    constexpr uintptr_t level = 3U << 2U;
    return (frame.pstate & level) == 0;  // an SError, which may come anywhere
}
/// A kernel that was interrupted has its frame on its stack.
[[nodiscard]] inline uintptr_t stack_pointer(const entry::Frame& frame) {
    return came_in_user_mode(frame) ? frame.sp : reinterpret_cast<uintptr_t>(&frame + 1);
}
[[nodiscard]] inline bool found_no_stack(entry::Cause /*cause*/) {
    return false;  // the stub looks at the stack before it uses it
}

/// What the kernel does not touch and another task may: v0 to v31, their control and status, and
/// the user's thread pointer.
struct alignas(16) TaskRegisters {
    unsigned char v[32][16];
    uint64_t fpcr;
    uint64_t fpsr;
    uint64_t tpidr_el0;
};

/// What a program starts with.
inline constexpr TaskRegisters initial_registers = {};

/// Bytes below the user's stack pointer that are the user's.
inline constexpr size_t red_zone = 0;

/// struct ucontext as Linux has it on arm64 (arch/arm64/include/uapi/asm/{ucontext,sigcontext}.h).
/// Its 4096 bytes of records end here behind the one that is always there and the one that ends
/// them.
struct alignas(16) UserContext {
    uint64_t flags;
    uint64_t link;
    uint64_t stack[3];
    uint64_t mask;
    unsigned char reserved[120];
    alignas(16) uint64_t fault_address;
    uint64_t x[31];
    uint64_t sp;
    uint64_t pc;
    uint64_t pstate;
    alignas(16) uint32_t float_magic;
    uint32_t float_size;
    uint32_t fpsr;
    uint32_t fpcr;
    unsigned char v[32][16];
    uint64_t end[2];
};
static_assert(offsetof(UserContext, fault_address) == 176 && offsetof(UserContext, pc) == 440 &&
              offsetof(UserContext, float_magic) == 464 && sizeof(UserContext) == 1008);

/// mov x8, #139; svc #0.
inline constexpr uint32_t return_instructions[] = {0xd2801168, 0xd4000001};

}  // namespace kerntoll::nano::arch
