/* SPDX-License-Identifier: MIT */
/* The handlers of the three classes of interruptions, and the ways back. frame.hpp says how the
   machine enters and leaves. An operand without a base register is one in the lowcore. */
#include "kerntoll/entry/fast.h"
#include "offsets.h"

#define PSW_PROBLEM_STATE 0x01      /* in the second byte of a PSW */
#define PSW_NO_WAIT 0xfd            /* the same byte without the wait bit */
#define LONGEST_INSTRUCTION 6
#define IN_FRAME(offset) (ABI_AREA + (offset))

    .section .text.kerntoll_entry_stub, "ax", %progbits

/* What the embedder sets up in the lowcore, before the first interruption (offsets.h has the places):
     the new PSW of   svc (0x1c0)      mask port::psw::kernel, address kerntoll_entry_call_vector
                      external (0x1b0)      the same mask, kerntoll_entry_external_vector
                      program (0x1d0)       the same mask, kerntoll_entry_program_vector
                      restart, machine check, input/output: the embedder's own; the last two are
                      masked whenever the path runs and in every user's PSW
     LOWCORE_KERNEL(2)    the running Thread's frame, FRAME_SIZE below it
     LOWCORE_KERNEL(15)   ABI_AREA below that frame: the stack
     LOWCORE_KERNEL(n)    0, for every other n: what the kernel's registers hold on entry
     LOWCORE_MASK_ON      one byte, 0x01: the upper byte of port::psw::external
     LOWCORE_MASK_OFF     one byte, 0
   From LOWCORE_SAVED to LOWCORE_RETURN_PSW it is the stub's. Beside the lowcore: prefix 0, r15 on the
   stack below the running Thread, translation off, external interrupts off until they may come, and
   in control register 1 the running task's tables, through which every user's PSW goes (a real-space
   designation, 0x20, will do for a kernel without isolation).
   On each switch of tasks, with interrupts off: LOWCORE_KERNEL(2) and LOWCORE_KERNEL(15).
   In a frame of the embedder's making: address; r15; mask from port::user_mask().

   kerntoll_entry_call_vector: the address of the svc's new PSW, whose mask is port::psw::kernel.
   In:  all registers are the user's; the old PSW, length and number are in the lowcore; interrupts
        and translation are off.
   Out: of kerntoll_entry_call: r2 = frame, r14 = return address, r15 = below the frame, all other
        registers 0. Of kerntoll_entry_call_fast (frame=lazy): the same, but r3 to r13 are the user's. */
    .globl kerntoll_entry_call_vector
    .type kerntoll_entry_call_vector, %function
    .balign 64
kerntoll_entry_call_vector:
#if KERNTOLL_frame_lazy == 1
    /* What C may clobber, the arguments, and what the way back needs. */
    stmg %r14, %r7, LOWCORE_SAVED
    lmg %r15, %r2, LOWCORE_KERNEL(15)
    mvc IN_FRAME(FRAME_R(14))(80, %r15), LOWCORE_SAVED
    mvc IN_FRAME(FRAME_MASK)(16, %r15), LOWCORE_CALL_OLD_PSW
    mvc IN_FRAME(FRAME_CALL)(4, %r15), LOWCORE_CALL
    brasl %r14, kerntoll_entry_call_fast
    cgijne %r2, KERNTOLL_ENTRY_FAST_DONE, call_is_slow
    mvc LOWCORE_RETURN_PSW(16), IN_FRAME(FRAME_MASK)(%r15)
    lmg %r14, %r5, IN_FRAME(FRAME_R(14))(%r15)
    lpswe LOWCORE_RETURN_PSW

/* In:  r2 = Fast::enter or Fast::exit; r6 to r13 are the user's; r15 = below the frame.
   Out: of kerntoll_entry_call_enter and _exit: r2 = frame, which is complete; r15 = below it; r6 to r13
        are the user's still. */
call_is_slow:
    stmg %r8, %r13, IN_FRAME(FRAME_R(8))(%r15)
    lgr %r0, %r2
    la %r2, IN_FRAME(0)(%r15)
    cgije %r0, KERNTOLL_ENTRY_FAST_ENTER, 1f
    brasl %r14, kerntoll_entry_call_exit
    j kerntoll_entry_return_to_user
1:  brasl %r14, kerntoll_entry_call_enter
#else
    stmg %r14, %r13, LOWCORE_SAVED
    /* Nothing of the user's is left that a mispredicted branch could use. */
    lmg %r14, %r13, LOWCORE_KERNEL(14)
    mvc IN_FRAME(FRAME_R(14))(128, %r15), LOWCORE_SAVED
    mvc IN_FRAME(FRAME_MASK)(16, %r15), LOWCORE_CALL_OLD_PSW
    mvc IN_FRAME(FRAME_CALL)(4, %r15), LOWCORE_CALL
    brasl %r14, kerntoll_entry_call
#endif

/* kerntoll_entry_return_to_user: the end of every way to user mode.
   In:  r15 = below a complete frame, which is directly below the Thread; interrupts are off and no
        work is left.
   Out: does not come back. */
    .globl kerntoll_entry_return_to_user
    .type kerntoll_entry_return_to_user, %function
kerntoll_entry_return_to_user:
    mvc LOWCORE_RETURN_PSW(16), IN_FRAME(FRAME_MASK)(%r15)
    lmg %r14, %r13, IN_FRAME(FRAME_R(14))(%r15)
    lpswe LOWCORE_RETURN_PSW

/* kerntoll_entry_begin_user: the first way of a task to user mode.
   In:  as kerntoll_entry_return_to_user, but work may be left.
   Out: of KERNTOLL_ENTRY_BEFORE_USER: r2 = frame, r15 = below it. */
    .globl kerntoll_entry_begin_user
    .type kerntoll_entry_begin_user, %function
kerntoll_entry_begin_user:
    la %r2, IN_FRAME(0)(%r15)
    brasl %r14, KERNTOLL_ENTRY_BEFORE_USER
    j kerntoll_entry_return_to_user

/* kerntoll_entry_external_vector: the address of the external new PSW; mask as above.
   In:  all registers are what they were; interrupts and translation are off. */
    .globl kerntoll_entry_external_vector
    .type kerntoll_entry_external_vector, %function
    .balign 64
kerntoll_entry_external_vector:
    stmg %r14, %r13, LOWCORE_SAVED
    mvc LOWCORE_SAVED_PSW(16), LOWCORE_EXTERNAL_OLD_PSW
    llgh %r3, LOWCORE_EXTERNAL_CODE
    oilh %r3, 1 << (CAUSE_EXTERNAL_BIT - 16)
    j from_anywhere

/* kerntoll_entry_program_vector: the address of the program new PSW; mask as above.
   In:  all registers are what they were; interrupts and translation are off. */
    .globl kerntoll_entry_program_vector
    .type kerntoll_entry_program_vector, %function
    .balign 64
kerntoll_entry_program_vector:
    stmg %r14, %r13, LOWCORE_SAVED
    mvc LOWCORE_SAVED_PSW(16), LOWCORE_PROGRAM_OLD_PSW
    llgf %r3, LOWCORE_PROGRAM

/* In:  r3 = the cause; LOWCORE_SAVED and _SAVED_PSW = what was interrupted.
   Out: of kerntoll_entry_from_user: r2 = frame, r3 = cause, r14 = return address, r15 = below the
        frame, all other registers 0. */
from_anywhere:
    tm LOWCORE_SAVED_PSW + 1, PSW_PROBLEM_STATE
    jz from_kernel
    lmg %r14, %r2, LOWCORE_KERNEL(14)
    lmg %r4, %r13, LOWCORE_KERNEL(4)
    mvc IN_FRAME(FRAME_R(14))(144, %r15), LOWCORE_SAVED
    mvc IN_FRAME(FRAME_FAULT)(8, %r15), LOWCORE_FAULT
    brasl %r14, kerntoll_entry_from_user
    j kerntoll_entry_return_to_user

/* In:  as from_anywhere; r15 = the kernel's stack.
   Out: of kerntoll_entry_from_kernel: r2 = frame, r3 = cause, r14 = return address, r15 = below the
        frame. */
from_kernel:
    larl %r1, kerntoll_entry_call_vector
    lg %r2, LOWCORE_SAVED_PSW + 8
    sgr %r2, %r1
    clgijnh %r2, LONGEST_INSTRUCTION, call_was_traced
0:  /* Once the stack overflows, there is no room for a frame. */
    lg %r1, LOWCORE_KERNEL(15)
    aghi %r1, IN_FRAME(FRAME_SIZE)  /* the Thread */
    sgr %r1, %r15
    srlg %r1, %r1, KERNTOLL_ENTRY_STACK_SHIFT
    cgijne %r1, 0, stack_overflows
    aghi %r15, -IN_FRAME(FRAME_SIZE)
    mvc IN_FRAME(FRAME_R(14))(144, %r15), LOWCORE_SAVED
    mvc IN_FRAME(FRAME_FAULT)(8, %r15), LOWCORE_FAULT
    la %r2, IN_FRAME(0)(%r15)
    brasl %r14, kerntoll_entry_from_kernel
    /* An interrupt ends a wait. */
    ni IN_FRAME(FRAME_MASK + 1)(%r15), PSW_NO_WAIT
    mvc LOWCORE_RETURN_PSW(16), IN_FRAME(FRAME_MASK)(%r15)
    lmg %r14, %r13, IN_FRAME(FRAME_R(14))(%r15)
    lpswe LOWCORE_RETURN_PSW

/* The first instruction of an svc's handler was interrupted. By a tracing event of the svc: then it
   has not run yet, and LOWCORE_SAVED is not in use, so the call begins anew. (QEMU 7.2 tells an
   address behind it, as far as the svc is long.)
   In:  as from_kernel, but the registers are the user's; r1 = the handler. */
call_was_traced:
    tm LOWCORE_PROGRAM + 3, CAUSE_TRACING
    jz 0b
    mvc LOWCORE_RETURN_PSW(8), LOWCORE_SAVED_PSW
    stg %r1, LOWCORE_RETURN_PSW + 8
    lg %r1, LOWCORE_KERNEL(15)
    oi IN_FRAME(FRAME_SIZE + THREAD_EXIT_WORK_LOW)(%r1), EXIT_WORK_ARCHITECTURE
    lmg %r14, %r13, LOWCORE_SAVED
    lpswe LOWCORE_RETURN_PSW

/* In:  r15 = the stack pointer that was interrupted.
   Out: of kerntoll_entry_stack_overflow, which does not return: r2 = the address that was
        interrupted, r3 = that stack pointer; r15 = below the frame, over whatever was there. */
stack_overflows:
    lg %r2, LOWCORE_SAVED_PSW + 8
    lgr %r3, %r15
    lg %r15, LOWCORE_KERNEL(15)
    brasl %r14, kerntoll_entry_stack_overflow
    j .+2                           /* it does not return: this is an invalid instruction */

    .section .note.GNU-stack, "", %progbits
