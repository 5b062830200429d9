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

// I and F: both are masked by every exception, and always together here, so that one of them says
// how things stand.

/// Lets interrupts in; what stands before it in the program happens before.
[[gnu::always_inline]] inline void interrupts_on() {
    asm volatile("msr daifclr, #3" : : : "memory");
}
/// Keeps them out; what stands behind it happens behind.
[[gnu::always_inline]] inline void interrupts_off() {
    asm volatile("msr daifset, #3" : : : "memory");
}
/// Whether they are let in.
[[gnu::always_inline]] inline bool interrupts_are_on() {
    constexpr uintptr_t irq_masked = 1U << 7U;
    uintptr_t daif;
    asm volatile("mrs %0, daif" : "=r"(daif) : : "memory");
    return (daif & irq_masked) == 0;
}

/// The number of a call: an int, so the upper half of x8 means nothing (as Linux has it here).
[[gnu::always_inline]] inline int number(const Frame& frame) {
    return static_cast<int32_t>(frame.number);
}
/// The arguments of a call; the first one as it was before the result took its place.
[[gnu::always_inline]] inline uintptr_t argument(const Frame& frame, unsigned index) {
    return index == 0 ? frame.original_x0 : frame.x[index];
}
/// What the call answers: a result, or a negative error number.
[[gnu::always_inline]] inline void set_result(Frame& frame, long result) {
    frame.x[0] = static_cast<uintptr_t>(result);
}
/// What it answers as things stand.
[[gnu::always_inline]] inline long result(const Frame& frame) {
    return static_cast<long>(frame.x[0]);
}
/// For a tracer: another number. x8 stays what it was.
inline void set_number(Frame& frame, long number) {
    frame.number = static_cast<uintptr_t>(number);
}

/// Makes a fresh frame one of a call, which answers `result` until the call does. The return
/// address lies behind the svc, and the stub kept number and first argument.
[[gnu::always_inline]] inline void prepare(Frame& frame, long result) {
    set_result(frame, result);
}
/// Undoes what entering the call did to the user's registers, except that the user goes on behind
/// the trap instruction: for a call that is handed back (SIGSYS).
inline void roll_back(Frame& frame) {
    frame.x[0] = frame.original_x0;
}
/// Takes the call back, so that it is made again when the user goes on.
inline void restart(Frame& frame) {
    constexpr uintptr_t svc_size = 4;
    frame.pc -= svc_size;
    roll_back(frame);
}

/// The next state of the stack offset, from a clock that the user reads as well: it makes what one
/// call finds of the last one's stack a matter of luck, and is no secret (Linux mixes in real
/// randomness).
[[gnu::always_inline]] inline uint32_t stir(uint32_t state) {
    uintptr_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return (state << 5U | state >> 27U) ^ static_cast<uint32_t>(ticks << 4U);
}

}  // namespace port

/// The arguments, for the calls of the table.
using port::argument;

}  // namespace kerntoll::entry
