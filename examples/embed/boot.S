/* SPDX-License-Identifier: MIT */
/* The way from the machine's start to kernel_main, and from one task to another. */

    .section .text.start, "ax", %progbits
/* In:  machine mode, nothing is set up.
   Out: of kernel_main: supervisor mode, interrupts off, traps delegated, sp = a stack. */
    .globl start
start:
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f                     /* everybody may use all memory: there is no isolation here */
    csrw pmpcfg0, t0
    li t0, 0xb1ff
    csrw medeleg, t0
    li t0, 0x1800
    csrc mstatus, t0
    li t0, 0x0800                   /* MPP: supervisor mode */
    csrs mstatus, t0
    la t0, kernel_main
    csrw mepc, t0
    la sp, boot_stack_end
    mret

    .text
/* switch_stacks(&mine, other, thread): goes on where `other` was left. Called in `reschedule` alone, when
   the frame holds all of the user's registers: with frame=lazy a call that switches would have to carry
   gp over, too.
   In:  a0 = where the stack pointer goes, a1 = the other's, a2 = the other's Thread.
   Out: as a function that returns; tp = the Thread that now runs. */
    .globl switch_stacks
switch_stacks:
    addi sp, sp, -112
    sd ra, 0(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd s\n, (8 + 8 * \n)(sp)
    .endr
    sd sp, 0(a0)
    mv sp, a1
    mv tp, a2
    ld ra, 0(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld s\n, (8 + 8 * \n)(sp)
    .endr
    addi sp, sp, 112
    ret

/* The first instruction of a task in the kernel.
   In:  sp = its frame. Out: of kerntoll_entry_begin_user: the same, interrupts off. */
    .globl begin_user
begin_user:
    csrci sstatus, 2
    j kerntoll_entry_begin_user

    .bss
    .balign 16
    .skip 4096
boot_stack_end:

    .section .note.GNU-stack, "", %progbits
