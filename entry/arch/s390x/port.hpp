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

/// Bits of a PSW's mask.
namespace psw {
inline constexpr uintptr_t translation = uintptr_t{1} << 58U;
inline constexpr uintptr_t external = uintptr_t{1} << 56U;  ///< external interrupts
inline constexpr uintptr_t problem_state = uintptr_t{1} << 48U;
inline constexpr uintptr_t wide = uintptr_t{3} << 31U;          ///< 64-bit addresses
inline constexpr uintptr_t from_user = uintptr_t{0x3f} << 40U;  ///< condition code, program mask

inline constexpr uintptr_t kernel = wide;
inline constexpr uintptr_t user = problem_state | translation | external | wide;
}  // namespace psw

/// The mask that a user gets whatever it asked for.
constexpr uintptr_t user_mask(uintptr_t asked) {
    return (asked & psw::from_user) | psw::user;
}

// Both load the whole system mask from the lowcore: in the kernel it has just these two values.
[[gnu::always_inline]] inline void interrupts_on() {
    asm volatile("ssm %0(%%r0)" : : "i"(LOWCORE_MASK_ON) : "memory");
}
/// Keeps them out; what stands behind it happens behind.
[[gnu::always_inline]] inline void interrupts_off() {
    asm volatile("ssm %0(%%r0)" : : "i"(LOWCORE_MASK_OFF) : "memory");
}
/// Whether they are let in.
[[gnu::always_inline]] inline bool interrupts_are_on() {
    uint32_t high;
    uint32_t low;
    asm volatile("epsw %0, %1" : "=&d"(high), "=d"(low));
    return (high & psw::external >> 32U) != 0;
}

/// The number of a call: that of its instruction, or else the lower 16 bits of r1, as Linux has it
/// here.
[[gnu::always_inline]] inline long number(const Frame& frame) {
    constexpr uintptr_t bits = 0xffff;
    const long in_instruction = frame.call_number;
    return in_instruction != 0 ? in_instruction : static_cast<long>(frame.reg(1) & bits);
}
/// The arguments of a call; the first one as it was before the result took its place.
[[gnu::always_inline]] inline uintptr_t argument(const Frame& frame, unsigned index) {
    return index == 0 ? frame.original_r2 : frame.reg(2 + index);
}
/// What the call answers: a result, or a negative error number.
[[gnu::always_inline]] inline void set_result(Frame& frame, long result) {
    frame.reg(2) = static_cast<uintptr_t>(result);
}
/// What it answers as things stand.
[[gnu::always_inline]] inline long result(const Frame& frame) {
    return static_cast<long>(frame.reg(2));
}
/// For a tracer: another number. One that no svc can have becomes the highest, which no call has.
inline void set_number(Frame& frame, long number) {
    constexpr long highest = 0xffff;
    frame.call_number = static_cast<uint16_t>(number > 0 && number < highest ? number : highest);
}

/// Makes a fresh frame one of a call: keeps the first argument, and answers `result` until the call
/// does. The PSW is behind the svc already.
[[gnu::always_inline]] inline void prepare(Frame& frame, long result) {
    frame.original_r2 = frame.reg(2);
    set_result(frame, result);
}
/// Undoes what entering the call did to the user's registers, except that the user goes on behind
/// the trap instruction: for a call that is handed back (SIGSYS).
inline void roll_back(Frame& frame) {
    frame.reg(2) = frame.original_r2;
}
/// Takes the call back, so that it is made again when the user goes on.
inline void restart(Frame& frame) {
    frame.address -= frame.call_length;
    roll_back(frame);
}

/// The next state of the stack offset, from a clock that the user reads as well: it makes what one
/// call finds of the last one's stack a matter of luck, and is no secret (Linux mixes in real
/// randomness).
[[gnu::always_inline]] inline uint32_t stir(uint32_t state) {
    uint64_t clock;
    asm volatile("stckf %0" : "=Q"(clock) : : "cc");
    return (state << 5U | state >> 27U) ^ static_cast<uint32_t>(clock << 4U);
}

}  // namespace port

/// The arguments, for the calls of the table.
using port::argument;

}  // namespace kerntoll::entry
