// SPDX-License-Identifier: MIT
// x86-64 has two ways in, which have little in common.
//
// SYSCALL does nearly nothing: rcx becomes the next instruction, r11 the flags, then the bits that
// FMASK names are taken out of the flags and cs, ss and rip come from MSRs. The stack is still the
// user's, and so is every register. SYSRET is the reverse: rip from rcx, flags from r11.
//
// Interrupts and exceptions are the opposite: the processor finds a gate by the vector, takes the
// stack from the task state segment, and pushes ss, rsp, rflags, cs, rip and, for some exceptions,
// an error code. IRET takes the five words back.
//
// What that means here:
//   * The processor itself tells calls, interrupts and each exception apart: `vector` has nothing
//     to choose.
//   * The kernel has no register to start from. gs has a second base, KERNEL_GS_BASE, that SWAPGS
//     exchanges with the user's: here it is the Thread. So the user's rsp can be stored at its
//     place in the frame, below the Thread, before anything else is known, and one load of the
//     Thread's scratch word, which holds the frame's address, brings the stack.
//   * Nobody but SWAPGS can tell whose base gs has. It is done once each way, by the privilege
//     level in the saved cs, with a fence behind a branch on it, and not at all on the ways that do
//     not come back (below). For the same reason users must not have WRGSBASE (CR4.FSGSBASE = 0).
//   * Between SYSCALL and the new rsp, and around SWAPGS, the kernel stands there with the user's
//     stack or gs. What can come even then (NMI, machine check, debug traps behind `mov ss`) and
//     what comes when a stack is unusable (double fault) has stacks of its own (IST). An NMI is
//     nobody's fault: it is an interrupt, which keeps that stack and goes back to where it came
//     from, with the base of gs saved and set, since nobody can tell whose it is. The others,
//     taken from user mode, are ordinary exceptions; taken from the kernel they are its end.
//   * FMASK clears every flag that could harm the kernel: interrupts, single step, direction,
//     alignment checks (which are SMAP's override), nested task, IO privilege. Gates clear only
//     some of them; the stub clears the rest.
//   * SYSRET can return only to a state that looks as SYSCALL left it. On Intel's processors one
//     whose rip is not canonical faults with the user's stack and the kernel's rights. sysret.hpp
//     decides, and IRET takes the rest.
//   * IRET may fault too, on what a debugger or a forged signal frame put into cs or ss. The stub
//     turns that into an exception of the user's.
//   * Left out: breakpoints of users (DR0 to DR7), since a #DB from the kernel is its end. And page
//     tables of the kernel's own (KPTI), IBRS, the clearing of branch history and of buffers
//     (VERW), and an end of speculation at the dispatch's indirect call. Who needs these on an
//     affected processor pays for them on top.
//
// Intel SDM volume 3, 6.14 and 5.8.8; AMD APM volume 2, 6.1 and 8.9.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kerntoll/entry/thread.hpp"
#include "offsets.h"

namespace kerntoll::entry {

/// The user's registers, or those of the kernel that was interrupted. With frame=lazy and before
/// slow work, r15 to r12, rbp, rbx, r11, rcx, cs and ss of a call are not in it.
struct alignas(16) Frame {
    uintptr_t r15, r14, r13, r12, rbp, rbx;
    uintptr_t r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
    uintptr_t cause;  ///< the vector; a call leaves it as it is
    /// The error code of an exception; the number of a call, which the result replaces in rax.
    uintptr_t error;
    // From here on as the processor pushes it.
    uintptr_t rip, cs, rflags, rsp, ss;
};

/// The vector.
using Cause = uintptr_t;

static_assert(offsetof(Frame, r15) == FRAME_R15);
static_assert(offsetof(Frame, r14) == FRAME_R14);
static_assert(offsetof(Frame, r13) == FRAME_R13);
static_assert(offsetof(Frame, r12) == FRAME_R12);
static_assert(offsetof(Frame, rbp) == FRAME_RBP);
static_assert(offsetof(Frame, rbx) == FRAME_RBX);
static_assert(offsetof(Frame, r11) == FRAME_R11);
static_assert(offsetof(Frame, r10) == FRAME_R10);
static_assert(offsetof(Frame, r9) == FRAME_R9);
static_assert(offsetof(Frame, r8) == FRAME_R8);
static_assert(offsetof(Frame, rax) == FRAME_RAX);
static_assert(offsetof(Frame, rcx) == FRAME_RCX);
static_assert(offsetof(Frame, rdx) == FRAME_RDX);
static_assert(offsetof(Frame, rsi) == FRAME_RSI);
static_assert(offsetof(Frame, rdi) == FRAME_RDI);
static_assert(offsetof(Frame, cause) == FRAME_CAUSE);
static_assert(offsetof(Frame, error) == FRAME_ERROR);
static_assert(offsetof(Frame, rip) == FRAME_RIP);
static_assert(offsetof(Frame, cs) == FRAME_CS);
static_assert(offsetof(Frame, rflags) == FRAME_RFLAGS);
static_assert(offsetof(Frame, rsp) == FRAME_RSP);
static_assert(offsetof(Frame, ss) == FRAME_SS);
static_assert(sizeof(Frame) == FRAME_SIZE);
static_assert(offsetof(Thread, scratch) == THREAD_SCRATCH);

}  // namespace kerntoll::entry
