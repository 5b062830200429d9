// SPDX-License-Identifier: MIT
// RISC-V has one way in. `ecall`, an interrupt and a fault all come to the address in stvec with
// interrupts off, and change four things: sepc is the instruction that trapped (of an ecall the
// ecall itself, so 4 must be added), scause says why, stval with what, and sstatus keeps the mode
// and the interrupt bit of before in SPP and SPIE. No register is saved and no stack is switched:
// x1 to x31 are the user's, and the kernel has nothing but sscratch to start from.
//
// What that means here:
//   * sscratch holds the Thread while the user runs and zero while the kernel does, so one exchange
//     with tp tells both apart and gives the way to the stack without touching another register.
//   * Every cause comes through one door, so software must find the system call among them: the
//     axis `vector`.
//   * sstatus goes on saying what the user set: access to user memory (SUM), executable-as-readable
//     (MXR) and the floating-point and vector units (FS, VS) are taken away for the kernel and
//     given back with the saved word. The kernel touches neither unit, and a bug that does traps.
//   * A reservation of lr survives the trap. The return makes an sc that fails or not, so that no
//     other task's lr pairs with it.
//   * sret takes mode and interrupts from SPP and SPIE; gp and tp are plain registers of the user.
//   * With frame=lazy gp stays the user's during a call. Who switches tasks within one must carry
//     gp over, like s0 to s11.
//
// The RISC-V Instruction Set Manual, Volume II, Supervisor-Level ISA 1.12.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kerntoll/entry/thread.hpp"
#include "offsets.h"

namespace kerntoll::entry {

/// The user's registers, or those of the kernel that was interrupted. With frame=lazy and before
/// slow work, s0 to s11 and gp are not in it.
struct alignas(16) Frame {
    uintptr_t pc;
    uintptr_t x[31];  ///< x1 to x31: register n is x[n - 1]
    uintptr_t status;
    uintptr_t original_a0;  ///< the first argument, which the result replaces

    [[nodiscard, gnu::always_inline]] uintptr_t& reg(unsigned number) { return x[number - 1]; }
    [[nodiscard, gnu::always_inline]] const uintptr_t& reg(unsigned number) const {
        return x[number - 1];
    }
};

/// scause.
using Cause = uintptr_t;

static_assert(offsetof(Frame, pc) == FRAME_PC);
static_assert(offsetof(Frame, x) == FRAME_X(1));
static_assert(offsetof(Frame, status) == FRAME_STATUS);
static_assert(offsetof(Frame, original_a0) == FRAME_ORIGINAL_A0);
static_assert(sizeof(Frame) == FRAME_SIZE);
static_assert(offsetof(Thread, scratch) == THREAD_SCRATCH);

}  // namespace kerntoll::entry
