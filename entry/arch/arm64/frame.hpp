// SPDX-License-Identifier: MIT
// An AArch64 exception goes to one of 16 vectors of 32 instructions each, picked by where it comes
// from (this level with either stack pointer, 64-bit or 32-bit user mode) and by its kind
// (synchronous, IRQ, FIQ, SError). ELR_EL1 becomes the address to return to (behind an svc, at an
// instruction that faulted), SPSR_EL1 the state, ESR_EL1 says what a synchronous one was and
// FAR_EL1 where. All interrupts are masked. x0 to x30 are the user's, but the stack pointer is
// banked: the user's stays in SP_EL0, and SP_EL1 is what the kernel left there. ERET goes back.
//
// What that means here:
//   * The kernel leaves SP_EL1 at the Thread when it goes to user mode, so the frame is simply
//     pushed there: no scratch register and no load are needed. TPIDR_EL1 holds the Thread too, for
//     traps from the kernel, and changes only when tasks are switched.
//   * SP_EL0 is the user's all the time and nobody in the kernel uses it, so it needs no exchange;
//     a lazy frame does not even save it. Who switches tasks within a call must carry SP_EL0 over,
//     like TPIDR_EL0 and the floating-point registers.
//   * One vector serves every synchronous exception of 64-bit user code, so software looks at the
//     class in ESR_EL1 to find the system call: the axis `vector`.
//   * 32-bit user code has vectors of its own and other numbers. This port lets no task into that
//     mode, but the way is there, and ends at a table without calls: the second caller of the
//     common step, as on Linux, whose compilers must decide whether two callers are too many to
//     inline it.
//   * PSTATE.PAN is set by each exception (SCTLR_EL1.SPAN = 0), so that the kernel cannot touch
//     user memory by mistake; the kernel's own state asks for nothing to be cleared.
//   * IRQ and FIQ, which carries the timer on some machines, are masked and let in together. SError
//     stays masked in the kernel: one that the kernel causes waits for the next user, and so none
//     is held to be a user's. All go to kernel_exception(), whose frame may be a user's then;
//     coming back from it is followed by no exit work.
//   * SPSR_EL1 says which level ERET goes to, so a frame that a user may write to (a signal's) must
//     be sanitised by user_pstate().
//   * Straight-line speculation runs on behind ERET; a barrier stops it.
//   * With branch_protection=on, indirect branches must arrive at a BTI, and return addresses are
//     signed with the key APIAKey, which the kernel exchanges on each way in and out: its own from
//     kerntoll_entry_key, which the embedder fills with random bits. Users get the key zero, so
//     that their signing works as an instruction but protects nothing.
//   * x18 is left out of the kernel (flags): a lazy frame then needs no place for it. It, too, goes
//     along with a switch of tasks.
//   * Left out: page tables of the kernel's own (KPTI) and its trampoline vectors, the clearing of
//     branch history (Spectre-BHB), and switching SSBD, MTE and single step. Who needs them on an
//     affected processor pays for them on top.
//
// Arm Architecture Reference Manual (DDI 0487), D1.3 and D19.2.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kerntoll/entry/thread.hpp"
#include "offsets.h"

namespace kerntoll::entry {

/// The user's registers, or those of the kernel that was interrupted. With frame=lazy and before
/// slow work, x18 to x29 and sp are not in it.
struct alignas(16) Frame {
    uintptr_t x[31];
    uintptr_t sp;  ///< SP_EL0, which of a kernel that was interrupted is some user's
    uintptr_t pc;
    uintptr_t pstate;
    union {
        uintptr_t original_x0;    ///< of a call: the first argument, which the result replaces
        uintptr_t fault_address;  ///< of an abort: FAR_EL1
    };
    uintptr_t number;  ///< of a call

    [[nodiscard, gnu::always_inline]] uintptr_t& reg(unsigned number_of) { return x[number_of]; }
    [[nodiscard, gnu::always_inline]] const uintptr_t& reg(unsigned number_of) const {
        return x[number_of];
    }
};

/// ESR_EL1 of a synchronous exception; of the others one of the bits below, an SError's with its
/// ESR_EL1.
using Cause = uintptr_t;
namespace cause {
inline constexpr Cause irq = Cause{1} << CAUSE_IRQ_BIT;
inline constexpr Cause fiq = Cause{1} << CAUSE_FIQ_BIT;
inline constexpr Cause serror = Cause{1} << CAUSE_SERROR_BIT;
inline constexpr size_t classes = 64;  ///< that ESR_EL1 can tell apart
[[gnu::always_inline]] constexpr size_t class_of(Cause synchronous) {
    return synchronous >> CLASS_SHIFT & (classes - 1);
}
}  // namespace cause

/// What may be returned to of a PSTATE that a user wrote: its condition flags, and the mode of
/// 64-bit user code with nothing masked. SSBS and DIT, which only make the processor more careful,
/// stay; BTYPE too, since what was interrupted may have been about to land.
constexpr uintptr_t user_pstate(uintptr_t wanted) {
    constexpr uintptr_t condition = uintptr_t{0xf} << 28U;
    constexpr uintptr_t careful = uintptr_t{1} << 24U | uintptr_t{1} << 12U;
    constexpr uintptr_t branch_type = uintptr_t{3} << 10U;
    return wanted & (condition | careful | branch_type);
}

static_assert(offsetof(Frame, x) == FRAME_X(0));
static_assert(offsetof(Frame, sp) == FRAME_SP);
static_assert(offsetof(Frame, pc) == FRAME_PC);
static_assert(offsetof(Frame, pstate) == FRAME_PSTATE);
static_assert(offsetof(Frame, original_x0) == FRAME_ORIGINAL_X0);
static_assert(offsetof(Frame, number) == FRAME_NUMBER);
static_assert(sizeof(Frame) == FRAME_SIZE);

}  // namespace kerntoll::entry
