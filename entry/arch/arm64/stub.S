/* SPDX-License-Identifier: MIT */
/* The vectors and the ways back. frame.hpp says how the machine enters and leaves. */
#include "kerntoll/entry/fast.h"
#include "offsets.h"

#define API_A_KEY_LOW s3_0_c2_c1_0  /* APIAKeyLo_EL1 and APIAKeyHi_EL1, by number: */
#define API_A_KEY_HIGH s3_0_c2_c1_1 /* assemblers want to hear of an extension first */

/* A pair of registers that are neighbours in the frame. */
.macro pair op, first, second
    \op x\first, x\second, [sp, #FRAME_X(\first)]
.endm
/* What C may clobber but for x0 and x1, which the instruction that moves sp takes along, x18, which C
   does not touch, and x30. */
.macro each_clobbered op
    pair \op, 2, 3
    pair \op, 4, 5
    pair \op, 6, 7
    pair \op, 8, 9
    pair \op, 10, 11
    pair \op, 12, 13
    pair \op, 14, 15
    pair \op, 16, 17
.endm
/* What it does not. */
.macro each_kept op
    pair \op, 18, 19
    pair \op, 20, 21
    pair \op, 22, 23
    pair \op, 24, 25
    pair \op, 26, 27
    pair \op, 28, 29
.endm
/* Everything but original_x0 and number. Clobbers x20 to x22. */
.macro save_all
    stp x0, x1, [sp, #-FRAME_SIZE]!
    each_clobbered stp
    each_kept stp
    mrs x20, sp_el0
    mrs x21, elr_el1
    mrs x22, spsr_el1
    stp x30, x20, [sp, #FRAME_X(30)]
    stp x21, x22, [sp, #FRAME_PC]
.endm
.macro load_all
    ldp x21, x22, [sp, #FRAME_PC]
    ldp x30, x20, [sp, #FRAME_X(30)]
    msr sp_el0, x20
    msr elr_el1, x21
    msr spsr_el1, x22
    each_clobbered ldp
    each_kept ldp
    ldp x0, x1, [sp], #FRAME_SIZE
.endm
/* What runs on behind ERET speculatively gets no further than this. */
.macro return_from_exception
    eret
    dsb nsh
    isb
.endm
/* Return addresses are signed with the kernel's key in the kernel. Clobbers x2 and x3. */
.macro take_key
#if KERNTOLL_branch_protection_on == 1
    adrp x2, kerntoll_entry_key
    add x2, x2, #:lo12:kerntoll_entry_key
    ldp x2, x3, [x2]
    msr API_A_KEY_LOW, x2
    msr API_A_KEY_HIGH, x3
    isb
#endif
.endm
.macro drop_key
#if KERNTOLL_branch_protection_on == 1
    msr API_A_KEY_LOW, xzr
    msr API_A_KEY_HIGH, xzr
#endif
.endm

/* Vectors of user mode.
   In:  all registers are what they were, but sp is the Thread; interrupts are masked.
   Out: of `way`: sp = frame, complete; x1 = cause; x2 to x30 are what they were or the kernel's. */
.macro user_vector way, number=x8
    .balign 128
    save_all
    stp x0, \number, [sp, #FRAME_ORIGINAL_X0]
    mrs x1, esr_el1
    b \way
.endm
.macro user_vector_of_one way, bit
    .balign 128
    save_all
    mrs x1, esr_el1
    .if \bit != CAUSE_SERROR_BIT
    mov x1, xzr
    .endif
    orr x1, x1, #(1 << \bit)
    b \way
.endm
/* Vectors of the kernel.
   In:  all registers are what they were; sp is the kernel's, TPIDR_EL1 the Thread.
   Out: of from_kernel: sp = frame, x1 = cause. Of stack_overflows: sp is what it was. */
.macro kernel_vector bit=-1
    .balign 128
    msr tpidrro_el0, x0             /* scratch, until a few lines below */
    mrs x0, tpidr_el1
    sub x0, sp, x0                  /* 0 at the Thread, which is no overflow */
    sub x0, x0, #1
    cmn x0, #(1 << KERNTOLL_ENTRY_STACK_SHIFT)
    mrs x0, tpidrro_el0
    msr tpidrro_el0, xzr            /* users may read it */
    b.lo stack_overflows            /* or the stores below would trap again, for ever */
    save_all
    mrs x1, esr_el1
    .if \bit >= 0
    .if \bit != CAUSE_SERROR_BIT
    mov x1, xzr
    .endif
    orr x1, x1, #(1 << \bit)
    .endif
    b from_kernel
.endm

    .section .text.kerntoll_entry_stub, "ax", %progbits

/* What the embedder sets up, before the first exception:
     VBAR_EL1    kerntoll_entry_vectors, then an ISB
     SPSel       1: the kernel runs on SP_EL1, on the stack below the running Thread
     TPIDR_EL1   the running Thread, at all times
     TPIDRRO_EL0 nothing: it is the stub's for a moment, and 0 else, since users may read it
     DAIF        I and F set, until interrupts may come
     SCTLR_EL1   SPAN = 0, so that each exception sets PAN where there is one
   and with branch_protection=on, before the first function that signs its return address:
     kerntoll_entry_key   16 bytes that the embedder defines, aligned to 16 and random: the key
     APIAKeyLo_EL1, APIAKeyHi_EL1   the same, low half first
     SCTLR_EL1   EnIA = 1; on a processor without pointer authentication the stub's `msr` of the key
                 is undefined, so such a kernel does not run there
   What BTI guards are pages that the embedder's tables mark so (GP).
   On each switch of tasks, with interrupts masked: TPIDR_EL1; where a call of a lazy frame switches,
   SP_EL0 and x18 too, like x19 to x29.
   In a frame of the embedder's making: pc; sp; pstate, 0 or what user_pstate() lets through.
   What a user may do beside that (CPACR_EL1, CNTKCTL_EL1, TPIDR_EL0) and page tables are the
   embedder's.

   kerntoll_entry_vectors: where VBAR_EL1 points. */
    .globl kerntoll_entry_vectors
    .type kerntoll_entry_vectors, %function
    .balign 2048
kerntoll_entry_vectors:
    /* From the kernel with SP_EL0, which it never selects, and with SP_EL1. */
    .rept 2
    kernel_vector
    kernel_vector CAUSE_IRQ_BIT
    kernel_vector CAUSE_FIQ_BIT
    kernel_vector CAUSE_SERROR_BIT
    .endr

    /* From 64-bit user code. */
#if KERNTOLL_frame_lazy == 1
    .balign 128
    stp x0, x1, [sp, #-FRAME_SIZE]!
    each_clobbered stp
    str x30, [sp, #FRAME_X(30)]
    mrs x1, esr_el1
    lsr w1, w1, #CLASS_SHIFT
    cmp w1, #CLASS_CALL
    b.ne not_a_call
    mrs x1, elr_el1
    mrs x2, spsr_el1
    stp x1, x2, [sp, #FRAME_PC]
    stp x0, x8, [sp, #FRAME_ORIGINAL_X0]
    b call_fast
#else
    user_vector from_user
#endif
    user_vector_of_one other_from_user, CAUSE_IRQ_BIT
    user_vector_of_one other_from_user, CAUSE_FIQ_BIT
    user_vector_of_one other_from_user, CAUSE_SERROR_BIT

    /* From 32-bit user code, whose r7 holds the number. */
    user_vector from_user_32, x7
    user_vector_of_one other_from_user, CAUSE_IRQ_BIT
    user_vector_of_one other_from_user, CAUSE_FIQ_BIT
    user_vector_of_one other_from_user, CAUSE_SERROR_BIT
    .org kerntoll_entry_vectors + 2048  /* an error where one was too long */

/* Nothing of the user's is left that a mispredicted branch could use.
   In:  sp = frame. Out: x0 = frame, x1 is what it was, x2 to x29 are 0. */
.macro prepare_c
    mov x0, sp
    take_key
    .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    mov x\n, xzr
    .endr
.endm

#if KERNTOLL_frame_lazy == 1
/* In:  sp = a frame that holds what C may clobber and what the way back needs; everything else is the
        user's.
   Out: of kerntoll_entry_call_fast: x0 = frame; it answers with a Fast. With branch_protection=on x2
        and x3, which held the key, are 0, or an interrupt would leave it on the stack. */
call_fast:
    take_key
#if KERNTOLL_branch_protection_on == 1
    mov x2, xzr
    mov x3, xzr
#endif
    mov x0, sp
    bl kerntoll_entry_call_fast
    cbnz w0, call_is_slow
    ldp x1, x2, [sp, #FRAME_PC]
    msr elr_el1, x1
    msr spsr_el1, x2
    drop_key
    ldr x30, [sp, #FRAME_X(30)]
    each_clobbered ldp
    ldp x0, x1, [sp], #FRAME_SIZE
    return_from_exception

/* In:  w0 = Fast::enter or Fast::exit; sp = frame; kept registers, x18 and SP_EL0 are the user's.
   Out: of kerntoll_entry_call_enter and _exit: x0 = sp = frame, which is complete; kept registers, x18
        and SP_EL0 are the user's still. Of kerntoll_entry_return_to_user: sp = frame. */
call_is_slow:
    each_kept stp
    mrs x1, sp_el0
    str x1, [sp, #FRAME_SP]
    cmp w0, #KERNTOLL_ENTRY_FAST_EXIT
    mov x0, sp
    b.eq 1f
    bl kerntoll_entry_call_enter
    b kerntoll_entry_return_to_user
1:  bl kerntoll_entry_call_exit
    b kerntoll_entry_return_to_user

/* In:  as call_fast, but for pc, pstate, original_x0 and number, which the frame does not hold. */
not_a_call:
    each_kept stp
    mrs x20, sp_el0
    mrs x21, elr_el1
    mrs x22, spsr_el1
    str x20, [sp, #FRAME_SP]
    stp x21, x22, [sp, #FRAME_PC]
    mrs x1, esr_el1
#endif

/* In:  sp = a complete frame directly below the Thread, x1 = ESR_EL1.
   Out: of kerntoll_entry_from_user: x0 = sp = frame, x1 = ESR_EL1, x2 to x29 are 0. */
from_user:
    prepare_c
    bl kerntoll_entry_from_user

/* kerntoll_entry_return_to_user: the end of every way to user mode.
   In:  sp = a complete frame directly below the Thread; interrupts are masked and no work is left.
   Out: does not come back. */
    .globl kerntoll_entry_return_to_user
    .type kerntoll_entry_return_to_user, %function
kerntoll_entry_return_to_user:
    drop_key
    load_all
    return_from_exception

/* kerntoll_entry_begin_user: the first way of a task to user mode.
   In:  as kerntoll_entry_return_to_user, but work may be left.
   Out: of KERNTOLL_ENTRY_BEFORE_USER: x0 = sp = frame. */
    .globl kerntoll_entry_begin_user
    .type kerntoll_entry_begin_user, %function
kerntoll_entry_begin_user:
    mov x0, sp
    bl KERNTOLL_ENTRY_BEFORE_USER
    b kerntoll_entry_return_to_user

/* In and out as from_user. */
from_user_32:
    prepare_c
    bl kerntoll_entry_from_user_32
    b kerntoll_entry_return_to_user

/* In:  as from_user, but x1 = one of the causes that are a vector of their own.
   Out: of kerntoll_entry_other_from_user as of kerntoll_entry_from_user. */
other_from_user:
    prepare_c
    bl kerntoll_entry_other_from_user
    b kerntoll_entry_return_to_user

/* In:  sp = frame, on the kernel's stack; x1 = cause.
   Out: of kerntoll_entry_from_kernel: x0 = frame, x1 = cause. */
from_kernel:
    mov x0, sp
    bl kerntoll_entry_from_kernel
    load_all
    return_from_exception

/* In:  all registers are what they were; TPIDR_EL1 = Thread.
   Out: of kerntoll_entry_stack_overflow, which does not return: x0 = ELR_EL1, x1 = sp; sp = the top of
        the stack, over whatever was there. */
stack_overflows:
    mrs x0, elr_el1
    mov x1, sp
    mrs x2, tpidr_el1
    mov sp, x2
    bl kerntoll_entry_stack_overflow
    brk #0

    .section .note.GNU-stack, "", %progbits
