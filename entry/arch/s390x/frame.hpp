// SPDX-License-Identifier: MIT
// s390x has a way in for each class of interruption. What runs is described by one program status
// word, the PSW: 64 bits of mask (mode, translation, interrupts, condition code) and an address. An
// interruption stores it as the class's old PSW and loads the class's new PSW, both at fixed places
// of the first 8 KiB of memory, the lowcore. `svc` is a class of its own, so are external
// interrupts and program checks (faults). Beside the old PSW the lowcore tells the number of the
// svc, the code of the others and what was translated when it failed. No register is saved and no
// stack is switched; but an address without a base register is one in the lowcore, so a register
// can be saved, and one be loaded, before anything is known. `lpswe` loads a PSW and is the way
// back.
//
// What that means here:
//   * There is no class to be decoded: the axis `vector` has no meaning.
//   * One instruction stores any run of registers, one loads it, one copies up to 256 bytes. So a
//     whole frame costs no instruction more than a part of it (frame=lazy saves memory traffic
//     here, and costs one: a branch), and clearing the user's registers costs nothing: the kernel's
//     first registers are loaded as a whole from the lowcore, zeros but for the frame and the
//     stack.
//   * The old PSW of an svc is the instruction behind it, and the number is in the instruction, or,
//     where that is 0, in r1: 16 bits either way. r2 is the first argument and the result.
//   * The new PSWs turn translation off, and the user's PSW turns it on. A user reaches what its
//     own tables map and nothing else; the kernel has no user memory in its address space at all.
//     Storage keys play no part, all memory has key 0.
//   * The PSW of the user is what the machine stored, and what comes from elsewhere (a signal's
//     frame, a tracer) passes port::user_mask(): problem state, translation by the primary tables,
//     64-bit addresses and interrupts are forced, and only condition code and program mask taken.
//   * Access registers, floating-point and vector registers are the user's: nothing in the kernel
//     touches them but a switch of tasks.
//   * Low-address protection may be on: everything that is stored here lies above 511, so a null
//     pointer of the kernel's cannot change the new PSWs.
//   * A tracing event (PER) of an svc comes after it: as a program check at the first instruction
//     of its handler. It is recognised by that address, the call goes on, and
//     exit_work::architecture asks for what is to follow.
//   * Machine checks stay masked, in the user's PSW too. One that cannot wait stops the machine.
//
// Left out. Linux can turn branch prediction off for the kernel (`nobp`, PPA function 12 on entry
// and 13 on exit, where facility 82 is there): machines since z14 tell user and kernel apart in
// their predictors (facility 193), there Linux does nothing, and no machine that QEMU emulates has
// facility 82. Linux stores the CPU timer (stpt) on each way, to bill user and system time; there
// is nobody to bill here.
//
// z/Architecture Principles of Operation, SA22-7832, chapters 4, 6 and 10.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kerntoll/entry/thread.hpp"
#include "offsets.h"

namespace kerntoll::entry {

/// The user's registers, or those of the kernel that was interrupted. With frame=lazy and before
/// slow work, r8 to r13 are not in it.
struct alignas(16) Frame {
    uintptr_t registers[16];  ///< r14, r15, r0 … r13 (offsets.h says why)
    uintptr_t mask;           ///< with `address` the PSW
    uintptr_t address;
    uintptr_t original_r2;  ///< the first argument, which the result replaces
    uintptr_t fault;        ///< of a translation that failed: its address and how it was tried
    uint16_t call_length;   ///< bytes of the svc, or of the instruction that executed it
    uint16_t call_number;   ///< what it had in it

    [[nodiscard, gnu::always_inline]] uintptr_t& reg(unsigned number) {
        return registers[(number + 2) % 16];
    }
    [[nodiscard, gnu::always_inline]] const uintptr_t& reg(unsigned number) const {
        return registers[(number + 2) % 16];
    }
};

/// What came: the code of a program check with the length of its instruction above it, or, with
/// cause::external, the code of an external interrupt.
using Cause = uint32_t;

static_assert(offsetof(Frame, registers) == FRAME_R(14));
static_assert(offsetof(Frame, mask) == FRAME_MASK);
static_assert(offsetof(Frame, address) == FRAME_ADDRESS);
static_assert(offsetof(Frame, original_r2) == FRAME_ORIGINAL_R2);
static_assert(offsetof(Frame, fault) == FRAME_FAULT);
static_assert(offsetof(Frame, call_length) == FRAME_CALL);
static_assert(offsetof(Frame, call_number) == FRAME_CALL + 2);
static_assert(sizeof(Frame) == FRAME_SIZE);
static_assert(offsetof(Thread, exit_work) + 3 == THREAD_EXIT_WORK_LOW);
static_assert(exit_work::architecture == EXIT_WORK_ARCHITECTURE);

}  // namespace kerntoll::entry
