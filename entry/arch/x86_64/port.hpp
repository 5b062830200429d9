// SPDX-License-Identifier: MIT
// What the common code asks of this architecture.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "nospec.hpp"

namespace kerntoll::entry {

/// What a system call answers that does not exist.
inline constexpr long no_such_call = -38;

namespace port {

inline constexpr uintptr_t rflags_if = 1U << 9U;

/// Lets interrupts in; what stands before it in the program happens before.
[[gnu::always_inline]] inline void interrupts_on() {
    asm volatile("sti" : : : "memory");
}
/// Keeps them out; what stands behind it happens behind.
[[gnu::always_inline]] inline void interrupts_off() {
    asm volatile("cli" : : : "memory");
}
/// Whether they are let in.
[[gnu::always_inline]] inline bool interrupts_are_on() {
    uintptr_t flags;
    asm volatile("pushfq\n\tpopq %0" : "=r"(flags) : : "memory");
    return (flags & rflags_if) != 0;
}

/// The number of a call: an int, so the upper half of rax means nothing (as Linux has it here).
[[gnu::always_inline]] inline int number(const Frame& frame) {
    return static_cast<int32_t>(frame.error);
}
/// The arguments of a call.
[[gnu::always_inline]] inline uintptr_t argument(const Frame& frame, unsigned index) {
    switch (index) {
        case 0:
            return frame.rdi;
        case 1:
            return frame.rsi;
        case 2:
            return frame.rdx;
        case 3:
            return frame.r10;
        case 4:
            return frame.r8;
        default:
            return frame.r9;
    }
}
/// What the call answers: a result, or a negative error number.
[[gnu::always_inline]] inline void set_result(Frame& frame, long result) {
    frame.rax = static_cast<uintptr_t>(result);
}
/// What it answers as things stand.
[[gnu::always_inline]] inline long result(const Frame& frame) {
    return static_cast<long>(frame.rax);
}
/// For a tracer: another number.
inline void set_number(Frame& frame, long number) {
    frame.error = static_cast<uintptr_t>(number);
}

/// Makes a fresh frame one of a call, which answers `result` until the call does. SYSCALL has moved
/// rip on, and the stub kept the number.
[[gnu::always_inline]] inline void prepare(Frame& frame, long result) {
    set_result(frame, result);
}
/// Undoes what entering the call did to the user's registers, except that the user goes on behind
/// the trap instruction: for a call that is handed back (SIGSYS).
inline void roll_back(Frame& frame) {
    frame.rax = frame.error;
}
/// Takes the call back, so that it is made again when the user goes on.
inline void restart(Frame& frame) {
    constexpr uintptr_t syscall_size = 2;
    frame.rip -= syscall_size;
    roll_back(frame);
}

/// The next state of the stack offset, from a clock that the user reads as well: it makes what one
/// call finds of the last one's stack a matter of luck, and is no secret (Linux mixes in real
/// randomness).
[[gnu::always_inline]] inline uint32_t stir(uint32_t state) {
    uint32_t low;
    uint32_t high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return (state << 5U | state >> 27U) ^ (low << 4U);
}

}  // namespace port

/// The arguments, for the calls of the table.
using port::argument;

}  // namespace kerntoll::entry
