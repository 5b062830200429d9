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

inline constexpr uintptr_t sstatus_sie = 1U << 1U;

/// Lets interrupts in; what stands before it in the program happens before.
[[gnu::always_inline]] inline void interrupts_on() {
    asm volatile("csrsi sstatus, %0" : : "i"(sstatus_sie) : "memory");
}
/// Keeps them out; what stands behind it happens behind.
[[gnu::always_inline]] inline void interrupts_off() {
    asm volatile("csrci sstatus, %0" : : "i"(sstatus_sie) : "memory");
}
/// Whether they are let in.
[[gnu::always_inline]] inline bool interrupts_are_on() {
    uintptr_t status;
    asm volatile("csrr %0, sstatus" : "=r"(status));
    return (status & sstatus_sie) != 0;
}

/// The number of a call: all of a7, so that one with anything in its upper half does not exist
/// (as Linux has it here).
[[gnu::always_inline]] inline long number(const Frame& frame) {
    return static_cast<long>(frame.reg(17));
}
/// The arguments of a call; the first one as it was before the result took its place.
[[gnu::always_inline]] inline uintptr_t argument(const Frame& frame, unsigned index) {
    return index == 0 ? frame.original_a0 : frame.reg(10 + index);
}
/// What the call answers: a result, or a negative error number.
[[gnu::always_inline]] inline void set_result(Frame& frame, long result) {
    frame.reg(10) = static_cast<uintptr_t>(result);
}
/// What it answers as things stand.
[[gnu::always_inline]] inline long result(const Frame& frame) {
    return static_cast<long>(frame.reg(10));
}
/// For a tracer: another number.
inline void set_number(Frame& frame, long number) {
    frame.reg(17) = static_cast<uintptr_t>(number);
}

/// Makes a fresh frame one of a call: goes on behind the ecall, keeps the first argument, and
/// answers `result` until the call does. The stub of a lazy frame knows a call when it fills one,
/// so there it has done the first two, with the registers at hand.
[[gnu::always_inline]] inline void prepare(Frame& frame, long result) {
#if KERNTOLL_frame_lazy != 1
    constexpr uintptr_t ecall_size = 4;  // there is no short form of it
    frame.pc += ecall_size;
    frame.original_a0 = frame.reg(10);
#endif
    set_result(frame, result);
}
/// Undoes what entering the call did to the user's registers, except that the user goes on behind
/// the trap instruction: for a call that is handed back (SIGSYS).
inline void roll_back(Frame& frame) {
    frame.reg(10) = frame.original_a0;
}
/// Takes the call back, so that it is made again when the user goes on.
inline void restart(Frame& frame) {
    constexpr uintptr_t ecall_size = 4;
    frame.pc -= ecall_size;
    roll_back(frame);
}

/// The next state of the stack offset, from a clock that the user reads as well: it makes what one
/// call finds of the last one's stack a matter of luck, and is no secret (Linux mixes in real
/// randomness).
[[gnu::always_inline]] inline uint32_t stir(uint32_t state) {
    uintptr_t ticks;
    asm volatile("csrr %0, time" : "=r"(ticks));
    return (state << 5U | state >> 27U) ^ static_cast<uint32_t>(ticks << 4U);
}

}  // namespace port

/// The arguments, for the calls of the table.
using port::argument;

}  // namespace kerntoll::entry
