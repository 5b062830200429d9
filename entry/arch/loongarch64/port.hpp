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

inline constexpr uintptr_t crmd_ie = 1U << 2U;

// A mask in r0 or r1 would make another instruction of csrxchg, and no constraint says so: hence
// the named register.
[[gnu::always_inline]] inline void interrupts_on() {
    register uintptr_t mask asm("$t0") = crmd_ie;
    asm volatile("csrxchg %0, %0, %1" : "+r"(mask) : "i"(CSR_CRMD) : "memory");
}
/// Keeps them out; what stands behind it happens behind.
[[gnu::always_inline]] inline void interrupts_off() {
    register uintptr_t mask asm("$t0") = crmd_ie;
    asm volatile("csrxchg $zero, %0, %1" : : "r"(mask), "i"(CSR_CRMD) : "memory");
}
/// Whether they are let in.
[[gnu::always_inline]] inline bool interrupts_are_on() {
    uintptr_t mode;
    asm volatile("csrrd %0, %1" : "=r"(mode) : "i"(CSR_CRMD));
    return (mode & crmd_ie) != 0;
}

/// The number of a call: all of a7, so that one with anything in its upper half does not exist
/// (as Linux has it here).
[[gnu::always_inline]] inline long number(const Frame& frame) {
    return static_cast<long>(frame.reg(11));
}
/// The arguments of a call; the first one as it was before the result took its place.
[[gnu::always_inline]] inline uintptr_t argument(const Frame& frame, unsigned index) {
    return index == 0 ? frame.original_a0 : frame.reg(4 + index);
}
/// What the call answers: a result, or a negative error number.
[[gnu::always_inline]] inline void set_result(Frame& frame, long result) {
    frame.reg(4) = static_cast<uintptr_t>(result);
}
/// What it answers as things stand.
[[gnu::always_inline]] inline long result(const Frame& frame) {
    return static_cast<long>(frame.reg(4));
}
/// For a tracer: another number.
inline void set_number(Frame& frame, long number) {
    frame.reg(11) = static_cast<uintptr_t>(number);
}

/// Makes a fresh frame one of a call, which answers `result` until the call does. The slot of the
/// syscall has put the address behind it and the first argument where they belong.
[[gnu::always_inline]] inline void prepare(Frame& frame, long result) {
    set_result(frame, result);
}
/// Undoes what entering the call did to the user's registers, except that the user goes on behind
/// the trap instruction: for a call that is handed back (SIGSYS).
inline void roll_back(Frame& frame) {
    frame.reg(4) = frame.original_a0;
}
/// Takes the call back, so that it is made again when the user goes on.
inline void restart(Frame& frame) {
    constexpr uintptr_t syscall_size = 4;
    frame.pc -= syscall_size;
    roll_back(frame);
}

/// The next state of the stack offset, from a clock that the user reads as well: it makes what one
/// call finds of the last one's stack a matter of luck, and is no secret (Linux mixes in real
/// randomness).
[[gnu::always_inline]] inline uint32_t stir(uint32_t state) {
    uint64_t clock;
    asm volatile("rdtime.d %0, $zero" : "=r"(clock));
    return (state << 5U | state >> 27U) ^ static_cast<uint32_t>(clock << 4U);
}

}  // namespace port

/// The arguments, for the calls of the table.
using port::argument;

}  // namespace kerntoll::entry
