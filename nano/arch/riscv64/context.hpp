// SPDX-License-Identifier: MIT
// Registers: the user's in a frame, in a signal's frame and in the floating-point unit, and the
// kernel's own while a task does not run.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "nano/fault.hpp"

namespace kerntoll::nano::arch {

// --- Frames ---

[[nodiscard]] inline uintptr_t program_counter(const entry::Frame& frame) {
    return frame.pc;
}
inline void set_program_counter(entry::Frame& frame, uintptr_t address) {
    frame.pc = address;
}
[[nodiscard]] inline uintptr_t stack_pointer(const entry::Frame& frame) {
    return frame.reg(2);
}

/// A frame that starts a user's program: all registers 0 but these.
void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack);

/// Undoes what entering a call did to the user's registers, except that the user goes on behind
/// the trap instruction: for a call that is handed back by SIGSYS.
inline void roll_back(entry::Frame& frame) {
    frame.reg(10) = frame.original_a0;
}

/// ` pc=… x1=…`: everything that a bug in the kernel is found by.
void print_registers(const entry::Frame& frame);

// --- Traps ---

/// Tells the processor where the entry path is. Once, at start; the current stack is a
/// KernelStack's (task.hpp).
void start_traps();
/// What a user's exception is. With interrupts on, the address may be that of another one.
[[nodiscard]] Fault fault_of(const entry::Frame& frame, entry::Cause cause);
/// Whether an interrupt is the timer's; there is no other that is turned on.
[[nodiscard]] bool is_timer(entry::Cause cause);

// --- Floating point ---

/// What the kernel does not touch and another task may: f0 to f31 and their control register.
struct FloatState {
    uint64_t registers[32];
    uint64_t control;
};

// --- Signals ---

/// Bytes below the user's stack pointer that are the user's.
inline constexpr size_t red_zone = 0;

/// struct ucontext as Linux has it on riscv64
/// (arch/riscv/include/uapi/asm/{ucontext,sigcontext}.h).
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

/// Where a handler and what it is given lie; all are user addresses.
struct HandlerEntry {
    uintptr_t handler;
    uintptr_t frame;  ///< the new stack pointer
    int number;
    uintptr_t info;
    uintptr_t context;
    uintptr_t return_to;
};

/// Fills in a context from the registers, the floating-point ones included.
void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context);
/// The opposite. What comes out is a user's state whatever lay there. False where the context is
/// none that this port can restore.
[[nodiscard]] bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask);
/// Makes a frame go on in a handler. False where the user's stack is out of reach.
[[nodiscard]] bool enter_handler(entry::Frame& frame, const HandlerEntry& entry);
/// Where the signal's frame lies when a handler has returned.
[[nodiscard]] inline uintptr_t signal_frame(const entry::Frame& frame) {
    return stack_pointer(frame);
}
/// The instructions that return from a handler: li a7, 139; ecall.
inline constexpr uint32_t return_instructions[] = {0x08b00893, 0x00000073};

// --- The kernel's own registers ---

/// Prepares a stack so that switch_stacks() to it returns to the user with `frame`, which lies
/// below the Thread of that stack. The stack pointer to switch to.
[[nodiscard]] uintptr_t prepare_stack(entry::Frame& frame);

}  // namespace kerntoll::nano::arch

// switch.S
extern "C" {
void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack);
void kerntoll_nano_save_floats(kerntoll::nano::arch::FloatState* state);
void kerntoll_nano_load_floats(const kerntoll::nano::arch::FloatState* state);
}

namespace kerntoll::nano::arch {

/// Leaves this stack, and comes back when somebody switches to what is then in `old_stack`.
/// Interrupts are off.
inline void switch_stacks(uintptr_t& old_stack, uintptr_t new_stack) {
    kerntoll_nano_switch_stacks(&old_stack, new_stack);
}
inline void save_floats(FloatState& state) {
    kerntoll_nano_save_floats(&state);
}
inline void load_floats(const FloatState& state) {
    kerntoll_nano_load_floats(&state);
}

}  // namespace kerntoll::nano::arch
