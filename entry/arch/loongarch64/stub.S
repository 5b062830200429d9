/* SPDX-License-Identifier: MIT */
/* The vector table and the ways back. frame.hpp says how the machine enters and leaves. */
#include "kerntoll/entry/fast.h"
#include "offsets.h"

#define SLOT_SYSCALL 11
#define SLOT_COUNT (64 + 14)    /* classes, then interrupts */
#define USER_STATUS 7           /* PRMD: level 3, interrupts on */
#define USER_UNITS 1            /* EUEN: floating point */
#define LEVEL 3                 /* in PRMD */

/* r1 is ra, r2 tp, r3 sp, r4 to r11 a0 to a7, r12 to r20 t0 to t8, r22 fp, r23 to r31 s0 to s8; r21
   belongs to nobody. */
/* What C may clobber, but for the temporaries and a0. */
.macro for_each_passed op
    \op $r1, $sp, FRAME_R(1)
    .irp n, 5, 6, 7, 8, 9, 10, 11
    \op $r\n, $sp, FRAME_R(\n)
    .endr
.endm
/* t1 to t8. */
.macro for_each_temporary op
    .irp n, 13, 14, 15, 16, 17, 18, 19, 20
    \op $r\n, $sp, FRAME_R(\n)
    .endr
.endm
/* What C keeps; and tp and r21, which it does not know. */
.macro for_each_kept op
    \op $r2, $sp, FRAME_R(2)
    .irp n, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op $r\n, $sp, FRAME_R(\n)
    .endr
.endm
/* Nothing of the user's is left that a mispredicted branch could use: all but a0, a1, sp, and ra,
   which the call that follows overwrites. */
.macro clear_registers
    .irp n, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    move $r\n, $zero
    .endr
.endm
/* Clobbers t0 and t1. */
.macro leave_kernel
    ori $t0, $zero, USER_STATUS
    ld.d $t1, $sp, FRAME_PC
    csrwr $t0, CSR_PRMD
    csrwr $t1, CSR_ERA
    ori $t0, $zero, USER_UNITS
    csrwr $t0, CSR_EUEN
.endm

    .section .text.kerntoll_entry_vectors, "ax", %progbits

/* What the embedder sets up, before the first trap:
     EENTRY      kerntoll_entry_vectors
     ECFG.VS     VECTOR_SHIFT
     SAVE1       CSR_KERNEL_FRAME: where the running Thread's frame lies, FRAME_SIZE below it
     SAVE0, SAVE2   CSR_USER_STACK and CSR_SCRATCH: nothing, they are the stub's
     sp          the stack below that Thread
     CRMD        level 0, IE off until traps may come; the kernel runs in a window (DMW) that level 0
                 alone may use
     EUEN        0: the kernel has no floating point
     TLBRENTRY   the embedder's own handler of TLB misses, which leaves SAVE0 to SAVE2 alone
   On each switch of tasks, with interrupts off: SAVE1; where a call of a lazy frame switches, tp and r21
   too, like s0 to s8 and fp.
   In a frame of the embedder's making: pc; sp (r3).

   kerntoll_entry_vectors: the address in EENTRY. The machine puts the slot's offset into the lower
   bits, so the linker script has to place it at a multiple of 64 KiB. An alignment of that much here
   would also be one in the file. */
    .globl kerntoll_entry_vectors
    .type kerntoll_entry_vectors, %function
    .balign 4096
kerntoll_entry_vectors:
    .set slot, 0
    .rept SLOT_SYSCALL
    .org kerntoll_entry_vectors + slot * VECTOR_SIZE
    b not_a_call
    .set slot, slot + 1
    .endr

/* The slot of `syscall`.
   In:  all registers are the user's; interrupts are off.
   Out: of kerntoll_entry_call: a0 = frame, ra = return address, sp = frame, all other registers 0;
        of kerntoll_entry_call_fast (frame=lazy): the same but for the zeros. */
    .org kerntoll_entry_vectors + SLOT_SYSCALL * VECTOR_SIZE
    .globl kerntoll_entry_call_vector
    .type kerntoll_entry_call_vector, %function
kerntoll_entry_call_vector:
    csrwr $sp, CSR_USER_STACK
    csrrd $sp, CSR_KERNEL_FRAME
    for_each_passed st.d
    st.d $a0, $sp, FRAME_ORIGINAL_A0
#if KERNTOLL_frame_lazy != 1
    st.d $t0, $sp, FRAME_R(12)
    for_each_temporary st.d
    for_each_kept st.d
#endif
    csrrd $t0, CSR_USER_STACK
    csrrd $t1, CSR_ERA
    st.d $t0, $sp, FRAME_R(3)
    addi.d $t1, $t1, 4              /* behind the syscall */
    st.d $t1, $sp, FRAME_PC
    csrwr $zero, CSR_EUEN
    move $a0, $sp
#if KERNTOLL_frame_lazy == 1
    bl kerntoll_entry_call_fast
    bnez $a0, call_is_slow
    leave_kernel
    for_each_passed ld.d
    ld.d $a0, $sp, FRAME_R(4)
    .irp n, 12, 13, 14, 15, 16, 17, 18, 19, 20
    move $r\n, $zero                /* lost in a call, and nothing of the kernel's in it */
    .endr
    ld.d $sp, $sp, FRAME_R(3)
    ertn
#else
    move $a1, $zero
    clear_registers
    bl kerntoll_entry_call
#endif
    .size kerntoll_entry_call_vector, . - kerntoll_entry_call_vector

/* kerntoll_entry_return_to_user: the end of every way to user mode.
   In:  sp = a complete frame directly below the Thread; interrupts are off and no work is left.
   Out: does not come back. */
    .globl kerntoll_entry_return_to_user
    .type kerntoll_entry_return_to_user, %function
kerntoll_entry_return_to_user:
    leave_kernel
    for_each_passed ld.d
    for_each_temporary ld.d
    for_each_kept ld.d
    ld.d $a0, $sp, FRAME_R(4)
    ld.d $t0, $sp, FRAME_R(12)
    ld.d $sp, $sp, FRAME_R(3)
    ertn
    .size kerntoll_entry_return_to_user, . - kerntoll_entry_return_to_user

    .set slot, SLOT_SYSCALL + 1
    .rept SLOT_COUNT - SLOT_SYSCALL - 1
    .org kerntoll_entry_vectors + slot * VECTOR_SIZE
    b not_a_call
    .set slot, slot + 1
    .endr

    .section .text.kerntoll_entry_stub, "ax", %progbits

#if KERNTOLL_frame_lazy == 1
/* In:  a0 = Fast::enter or Fast::exit; kept registers are the user's; sp = frame.
   Out: of kerntoll_entry_call_enter and _exit: a0 = frame, sp = frame. */
call_is_slow:
    for_each_kept st.d
    .irp n, 12, 13, 14, 15, 16, 17, 18, 19, 20
    st.d $zero, $sp, FRAME_R(\n)    /* lost in a call */
    .endr
    addi.d $t0, $a0, -KERNTOLL_ENTRY_FAST_ENTER
    move $a0, $sp
    bnez $t0, 1f
    bl kerntoll_entry_call_enter
    b kerntoll_entry_return_to_user
1:  bl kerntoll_entry_call_exit
    b kerntoll_entry_return_to_user
#endif

/* kerntoll_entry_begin_user: the first way of a task to user mode.
   In:  as kerntoll_entry_return_to_user, but work may be left.
   Out: of KERNTOLL_ENTRY_BEFORE_USER: a0 = sp = frame. */
    .globl kerntoll_entry_begin_user
    .type kerntoll_entry_begin_user, %function
kerntoll_entry_begin_user:
    move $a0, $sp
    bl KERNTOLL_ENTRY_BEFORE_USER
    b kerntoll_entry_return_to_user

/* Everything that is not a call.
   In:  all registers are what they were; interrupts are off.
   Out: of kerntoll_entry_from_user: a0 = frame, a1 = ESTAT, ra = return address, sp = frame, all
        other registers 0. */
not_a_call:
    csrwr $t0, CSR_SCRATCH
    csrrd $t0, CSR_PRMD
    andi $t0, $t0, LEVEL
    beqz $t0, from_kernel
    csrwr $sp, CSR_USER_STACK
    csrrd $sp, CSR_KERNEL_FRAME
    for_each_passed st.d
    for_each_temporary st.d
    for_each_kept st.d
    st.d $a0, $sp, FRAME_R(4)
    csrrd $t0, CSR_USER_STACK
    csrrd $t1, CSR_SCRATCH
    csrrd $t2, CSR_ERA
    csrrd $t3, CSR_BADV
    csrrd $a1, CSR_ESTAT
    st.d $t0, $sp, FRAME_R(3)
    st.d $t1, $sp, FRAME_R(12)
    st.d $t2, $sp, FRAME_PC
    st.d $t3, $sp, FRAME_FAULT
    csrwr $zero, CSR_EUEN
    move $a0, $sp
    clear_registers
    bl kerntoll_entry_from_user
    b kerntoll_entry_return_to_user

/* In:  CSR_SCRATCH = t0; sp = the kernel's stack.
   Out: of kerntoll_entry_from_kernel: a0 = frame, a1 = ESTAT, ra = return address, sp = frame. */
from_kernel:
    /* Once the stack overflows, there is no room for a frame. */
    csrrd $t0, CSR_KERNEL_FRAME
    addi.d $t0, $t0, FRAME_SIZE     /* the Thread */
    sub.d $t0, $t0, $sp
    srli.d $t0, $t0, KERNTOLL_ENTRY_STACK_SHIFT
    bnez $t0, stack_overflows
    addi.d $sp, $sp, -FRAME_SIZE
    for_each_passed st.d
    for_each_temporary st.d
    for_each_kept st.d
    st.d $a0, $sp, FRAME_R(4)
    addi.d $t0, $sp, FRAME_SIZE
    csrrd $t1, CSR_SCRATCH
    csrrd $t2, CSR_ERA
    csrrd $t3, CSR_BADV
    csrrd $t4, CSR_PRMD
    csrrd $a1, CSR_ESTAT
    st.d $t0, $sp, FRAME_R(3)
    st.d $t1, $sp, FRAME_R(12)
    st.d $t2, $sp, FRAME_PC
    st.d $t3, $sp, FRAME_FAULT
    st.d $t4, $sp, FRAME_STATUS
    move $a0, $sp
    bl kerntoll_entry_from_kernel
    ld.d $t0, $sp, FRAME_STATUS
    ld.d $t1, $sp, FRAME_PC
    csrwr $t0, CSR_PRMD
    csrwr $t1, CSR_ERA
    for_each_passed ld.d
    for_each_temporary ld.d
    for_each_kept ld.d
    ld.d $a0, $sp, FRAME_R(4)
    ld.d $t0, $sp, FRAME_R(12)
    ld.d $sp, $sp, FRAME_R(3)
    ertn

/* In:  sp = the stack pointer that was interrupted.
   Out: of kerntoll_entry_stack_overflow, which does not return: a0 = ERA, a1 = that stack pointer;
        sp = the frame's place, over whatever was there. */
stack_overflows:
    csrrd $a0, CSR_ERA
    move $a1, $sp
    csrrd $sp, CSR_KERNEL_FRAME
    bl kerntoll_entry_stack_overflow
    break 0                         /* it does not return */

    .section .note.GNU-stack, "", %progbits
