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

/// Whether interrupts are on. One per thread of the host, which is one CPU to the path; a program
/// without a C library has one thread, and nothing that would make it storage of its own.
#if __STDC_HOSTED__
inline constinit thread_local bool interrupt_flag = false;
#else
inline constinit bool interrupt_flag = false;
#endif

/// Lets interrupts in; what stands before it in the program happens before.
[[gnu::always_inline]] inline void interrupts_on() {
    interrupt_flag = true;
    asm volatile("" : : : "memory");
}
/// Keeps them out; what stands behind it happens behind.
[[gnu::always_inline]] inline void interrupts_off() {
    asm volatile("" : : : "memory");
    interrupt_flag = false;
}
/// Whether they are let in.
[[gnu::always_inline]] inline bool interrupts_are_on() {
    return interrupt_flag;
}

/// The number of a call.
[[gnu::always_inline]] inline long number(const Frame& frame) {
    return frame.number;
}
/// The arguments of a call.
[[gnu::always_inline]] inline uintptr_t argument(const Frame& frame, unsigned index) {
    return frame.argument[index];
}
/// What the call answers: a result, or a negative error number.
[[gnu::always_inline]] inline void set_result(Frame& frame, long result) {
    frame.result = result;
}
/// What it answers as things stand.
[[gnu::always_inline]] inline long result(const Frame& frame) {
    return frame.result;
}
/// For a tracer: another number.
inline void set_number(Frame& frame, long number) {
    frame.number = number;
}

/// Makes a fresh frame one of a call that answers `result` until it is run.
[[gnu::always_inline]] inline void prepare(Frame& frame, long result) {
    frame.original_pc = frame.pc++;
    set_result(frame, result);
}
/// Undoes what entering the call did to the caller's registers: nothing, since the result has a
/// place of its own. The caller goes on behind the call.
inline void roll_back(Frame& /*frame*/) {}
/// Takes the call back, so that it is made again when the caller goes on.
inline void restart(Frame& frame) {
    frame.pc = frame.original_pc;
}

/// The next state of the stack offset (xorshift).
[[gnu::always_inline]] inline uint32_t stir(uint32_t state) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state;
}

}  // namespace port

/// The arguments, for the calls of the table.
using port::argument;

}  // namespace kerntoll::entry
