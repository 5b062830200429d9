/* SPDX-License-Identifier: MIT */
/* The trap vector and the ways back. frame.hpp says how the machine enters and leaves. */
#include "kerntoll/entry/fast.h"
#include "offsets.h"

/* What the kernel must not inherit: access to user memory, executable-as-readable, the
   floating-point and the vector unit. */
#define STATUS_TAKEN_AWAY 0xc6600  /* MXR | SUM | FS | VS */

/* x3 is gp and x4 tp; x10 to x17 are arguments; x5 to x7 and x28 to x31 are the other temporaries. */
.macro for_each_temporary op
    \op x1, FRAME_X(1)(sp)
    .irp n, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
    \op x\n, FRAME_X(\n)(sp)
    .endr
.endm
/* What C keeps: s0 to s11; and gp, which it does not know. */
.macro for_each_kept op
    \op x3, FRAME_X(3)(sp)
    .irp n, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    \op x\n, FRAME_X(\n)(sp)
    .endr
.endm

    .section .text.kerntoll_entry_stub, "ax", %progbits
    .option norelax

/* What the embedder sets up, before the first trap:
     stvec       kerntoll_entry_vector; direct mode, so its lower two bits are 0
     sscratch    0, which says that the kernel runs; from then on it is the stub's
     tp          the running Thread, in the kernel at all times
     sp          the stack below that Thread
     sstatus     SUM and MXR off; SIE off, until traps may come
     medeleg     by the firmware or what stands in for it: whatever a user may cause
   On each switch of tasks, with interrupts off: tp; where a call of a lazy frame switches, gp too, like
   s0 to s11.
   In a frame of the embedder's making: pc; sp (x2); status with SPP off and SPIE on, UXL as sstatus
   has it, and the user's FS and VS.
   What a user may read beside that (scounteren) and page tables (satp) are the embedder's.

   kerntoll_entry_vector: where stvec points.
   In:  all registers are what they were; sscratch is the Thread in user mode and 0 in the kernel;
        interrupts are off.
   Out: of kerntoll_entry_from_user: a0 = frame, a1 = scause, tp = Thread, sp = frame, all other
        registers 0. */
    .globl kerntoll_entry_vector
    .type kerntoll_entry_vector, %function
    .balign 64
kerntoll_entry_vector:
    csrrw tp, sscratch, tp
    beqz tp, from_kernel
    sd sp, (FRAME_X(2) - FRAME_SIZE)(tp)
    addi sp, tp, -FRAME_SIZE
    for_each_temporary sd
#if KERNTOLL_frame_lazy == 1
    csrr a1, scause
    li t0, CAUSE_USER_CALL
    bne a1, t0, not_a_call

    /* A call, whose frame holds what C may clobber and what the way back needs. */
    csrrw t0, sscratch, zero
    csrr t1, sepc
    li t2, STATUS_TAKEN_AWAY
    csrrc t2, sstatus, t2
    addi t1, t1, 4                  /* behind the ecall */
    sd a0, FRAME_ORIGINAL_A0(sp)
    sd t0, FRAME_X(4)(sp)
    sd t1, FRAME_PC(sp)
    sd t2, FRAME_STATUS(sp)
    mv a0, sp
    jal kerntoll_entry_call_fast
    bnez a0, call_is_slow
    csrw sscratch, tp
    ld t0, FRAME_PC(sp)
    ld t1, FRAME_STATUS(sp)
    sc.d zero, t0, FRAME_PC(sp)     /* ends a reservation of the user's */
    csrw sepc, t0
    csrw sstatus, t1
    for_each_temporary ld
    ld tp, FRAME_X(4)(sp)
    ld sp, FRAME_X(2)(sp)
    sret

/* In:  a0 = Fast::enter or Fast::exit; sp = frame; kept registers are the user's.
   Out: of kerntoll_entry_call_enter and _exit: a0 = sp = frame, which is complete; kept registers are the
        user's still. */
call_is_slow:
    for_each_kept sd
    addi t0, a0, -KERNTOLL_ENTRY_FAST_ENTER
    mv a0, sp
    bnez t0, 1f
    jal kerntoll_entry_call_enter
    j kerntoll_entry_return_to_user
1:  jal kerntoll_entry_call_exit
    j kerntoll_entry_return_to_user

/* In:  sp = frame, in which lie the registers that C may clobber, but for tp; the kept ones, gp and tp
        are the user's; sscratch = the user's tp.
   Out: of kerntoll_entry_from_user: a0 = sp = frame, a1 = cause, tp = Thread; all others are 0. */
not_a_call:
#endif
    for_each_kept sd
    csrrw t0, sscratch, zero        /* the user's tp; from now on the kernel runs */
    csrr t1, sepc
    li t2, STATUS_TAKEN_AWAY
    csrrc t2, sstatus, t2
    csrr a1, scause
    sd t0, FRAME_X(4)(sp)
    sd t1, FRAME_PC(sp)
    sd t2, FRAME_STATUS(sp)
    mv a0, sp
    /* Nothing of the user's is left that a mispredicted branch could use; ra is next. */
    li gp, 0
    .irp n, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    li x\n, 0
    .endr
    jal kerntoll_entry_from_user

/* kerntoll_entry_return_to_user: the end of every way to user mode.
   In:  sp = a complete frame directly below the Thread; tp = the Thread; interrupts are off and no
        work is left.
   Out: does not come back. */
    .globl kerntoll_entry_return_to_user
    .type kerntoll_entry_return_to_user, %function
kerntoll_entry_return_to_user:
    csrw sscratch, tp
    ld t0, FRAME_PC(sp)
    ld t1, FRAME_STATUS(sp)
    sc.d zero, t0, FRAME_PC(sp)
    csrw sepc, t0
    csrw sstatus, t1
    for_each_kept ld
    for_each_temporary ld
    ld tp, FRAME_X(4)(sp)
    ld sp, FRAME_X(2)(sp)
    sret

/* kerntoll_entry_begin_user: the first way of a task to user mode.
   In:  as kerntoll_entry_return_to_user, but work may be left.
   Out: of KERNTOLL_ENTRY_BEFORE_USER: a0 = sp = frame. */
    .globl kerntoll_entry_begin_user
    .type kerntoll_entry_begin_user, %function
kerntoll_entry_begin_user:
    mv a0, sp
    jal KERNTOLL_ENTRY_BEFORE_USER
    j kerntoll_entry_return_to_user

/* In:  tp = 0; sscratch = the kernel's tp, which is the running Thread; sp = the kernel's stack.
   Out: of kerntoll_entry_from_kernel: a0 = frame, a1 = scause, tp = Thread, sp = frame. */
from_kernel:
    csrrw tp, sscratch, zero
    /* Once the stack overflows, the stores below would trap again, for ever. */
    sd sp, THREAD_SCRATCH(tp)
    sub sp, tp, sp
    srli sp, sp, KERNTOLL_ENTRY_STACK_SHIFT
    bnez sp, stack_overflows
    ld sp, THREAD_SCRATCH(tp)
    addi sp, sp, -FRAME_SIZE
    for_each_temporary sd
    for_each_kept sd
    ld t0, THREAD_SCRATCH(tp)
    csrr t1, sepc
    li t2, STATUS_TAKEN_AWAY
    csrrc t2, sstatus, t2
    csrr a1, scause
    sd t0, FRAME_X(2)(sp)
    sd tp, FRAME_X(4)(sp)
    sd t1, FRAME_PC(sp)
    sd t2, FRAME_STATUS(sp)
    mv a0, sp
    jal kerntoll_entry_from_kernel
    ld t0, FRAME_PC(sp)
    ld t1, FRAME_STATUS(sp)
    csrw sepc, t0
    csrw sstatus, t1
    for_each_kept ld
    for_each_temporary ld
    ld sp, FRAME_X(2)(sp)
    sret

/* In:  tp = Thread; THREAD_SCRATCH = the stack pointer that trapped.
   Out: of kerntoll_entry_stack_overflow, which does not return: a0 = sepc, a1 = that stack pointer;
        sp = the top of the stack, over whatever was there. */
stack_overflows:
    csrr a0, sepc
    ld a1, THREAD_SCRATCH(tp)
    mv sp, tp
    jal kerntoll_entry_stack_overflow
    unimp

    .section .note.GNU-stack, "", %progbits
