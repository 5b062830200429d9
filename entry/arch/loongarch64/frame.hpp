// SPDX-License-Identifier: MIT
// LoongArch has a way in for each class of exception and each interrupt: a table whose address is
// in EENTRY and whose spacing is in ECFG. `syscall` has the slot 11 to itself. The machine turns
// interrupts off, goes to privilege level 0, keeps level and interrupt bit of before in PRMD, the
// instruction's address in ERA (of a syscall its own, so 4 must be added), the class in ESTAT and
// an address that failed in BADV. No register is saved and no stack is switched; eight registers,
// SAVE0 to SAVE7, belong to the kernel alone. `ertn` takes level and interrupts from PRMD and the
// address from ERA, and ends a reservation of ll.
//
// What that means here:
//   * There is no class to be decoded: the axis `vector` has no meaning. The slots are 128
//     instructions apart, as Linux has them, so that a whole call fits into its own.
//   * SAVE1 holds the address of the running task's frame. It is never changed by an entry, so a
//     trap needs two instructions to have a stack: the user's stack pointer to SAVE0, SAVE1 to the
//     stack pointer.
//   * A user's PRMD has one value, level 3 with interrupts on. It is neither saved nor believed:
//     every way back writes the constant. The same holds for EUEN, the switch of the floating-point
//     unit: off in the kernel, where an instruction of it traps, on for the user.
//   * No hardware stands between the kernel and user memory: there is no SUM, SMAP or PAN. What the
//     kernel does with a user's address is checked in software or not at all.
//   * The kernel runs in a direct-mapped window, which needs no translation. A TLB miss is the
//     user's; its handler has a way in of its own, with registers of its own (TLBRERA, TLBRPRMD,
//     TLBRSAVE), and touches nothing else. It belongs to the embedder, since it walks his tables.
//   * t0 to t8 are lost in a system call by Linux's convention. With frame=lazy they are not saved
//     but cleared on the way back, so that they tell nothing of the kernel; a frame that is
//     completed has zeros for them. With frame=full they survive.
//   * With frame=lazy tp and r21 stay the user's during a call. Who switches tasks within one must
//     carry them over, like fp and s0 to s8.
//
// Left out: the way in of machine errors (MERRENTRY), which no machine that QEMU emulates raises.
//
// LoongArch Reference Manual, Volume 1, chapters 5 to 7.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kerntoll/entry/thread.hpp"
#include "offsets.h"

namespace kerntoll::entry {

/// The user's registers, or those of the kernel that was interrupted. With frame=lazy and before
/// slow work, only ra, a1 to a7 and sp are in it.
struct alignas(16) Frame {
    uintptr_t pc;
    uintptr_t r[31];        ///< r1 to r31: register n is r[n - 1]
    uintptr_t status;       ///< PRMD, of the kernel; a user's is always the same
    uintptr_t original_a0;  ///< the first argument, which the result replaces
    uintptr_t fault;        ///< BADV

    [[nodiscard, gnu::always_inline]] uintptr_t& reg(unsigned number) { return r[number - 1]; }
    [[nodiscard, gnu::always_inline]] const uintptr_t& reg(unsigned number) const {
        return r[number - 1];
    }
};

/// ESTAT: class and subclass, and the interrupts that are pending.
using Cause = uintptr_t;

static_assert(offsetof(Frame, pc) == FRAME_PC);
static_assert(offsetof(Frame, r) == FRAME_R(1));
static_assert(offsetof(Frame, status) == FRAME_STATUS);
static_assert(offsetof(Frame, original_a0) == FRAME_ORIGINAL_A0);
static_assert(offsetof(Frame, fault) == FRAME_FAULT);
static_assert(sizeof(Frame) == FRAME_SIZE);

}  // namespace kerntoll::entry
