// SPDX-License-Identifier: MIT
// Switching between kernel stacks, and the registers that only this file touches.

    .equ saved_size, 128
    .equ fpcr_at, 512               // TaskRegisters
    .equ fpsr_at, 520
    .equ tpidr_at, 528

    .text
// void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack)
// In:  interrupts off; x0 = where to leave this stack's pointer; x1 = one that was left so, or was made
//      by prepare_stack().
// Out: on the other stack, with what it keeps: x19 to x30, TPIDR_EL1 (its Thread), and SP_EL0 and
//      x18, which are the user's while a call of frame=lazy runs. Clobbers what C may.
    .globl kerntoll_nano_switch_stacks
    .type kerntoll_nano_switch_stacks, %function
kerntoll_nano_switch_stacks:
    mrs x2, tpidr_el1
    mrs x3, sp_el0
    stp x19, x20, [sp, #-saved_size]!
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp x2, x3, [sp, #96]
    str x18, [sp, #112]
    mov x4, sp
    str x4, [x0]
    mov sp, x1
    ldr x18, [sp, #112]
    ldp x2, x3, [sp, #96]
    ldp x29, x30, [sp, #80]
    ldp x27, x28, [sp, #64]
    ldp x25, x26, [sp, #48]
    ldp x23, x24, [sp, #32]
    ldp x21, x22, [sp, #16]
    ldp x19, x20, [sp], #saved_size
    msr tpidr_el1, x2
    msr sp_el0, x3
    ret
    .size kerntoll_nano_switch_stacks, . - kerntoll_nano_switch_stacks

// Where a new task's stack begins to run (prepare_stack() makes it the return address).
// In:  interrupts masked; sp = the frame, which lies below the Thread.
    .globl kerntoll_nano_start_task
    .type kerntoll_nano_start_task, %function
kerntoll_nano_start_task:
    b kerntoll_entry_begin_user
    .size kerntoll_nano_start_task, . - kerntoll_nano_start_task

// void kerntoll_nano_save_task_registers(TaskRegisters*)
// In: x0 = TaskRegisters. Out: it holds v0 to v31, FPCR, FPSR and TPIDR_EL0. Clobbers x1, x2.
    .globl kerntoll_nano_save_task_registers
    .type kerntoll_nano_save_task_registers, %function
kerntoll_nano_save_task_registers:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    str q\n, [x0, #16 * \n]
    .endr
    mrs x1, fpcr
    mrs x2, fpsr
    str x1, [x0, #fpcr_at]
    str x2, [x0, #fpsr_at]
    mrs x1, tpidr_el0
    str x1, [x0, #tpidr_at]
    ret
    .size kerntoll_nano_save_task_registers, . - kerntoll_nano_save_task_registers

// void kerntoll_nano_load_task_registers(const TaskRegisters*)
// In: x0 = TaskRegisters. Out: v0 to v31, FPCR, FPSR and TPIDR_EL0 are what it holds. Clobbers x1, x2.
    .globl kerntoll_nano_load_task_registers
    .type kerntoll_nano_load_task_registers, %function
kerntoll_nano_load_task_registers:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ldr q\n, [x0, #16 * \n]
    .endr
    ldr x1, [x0, #fpcr_at]
    ldr x2, [x0, #fpsr_at]
    msr fpcr, x1
    msr fpsr, x2
    ldr x1, [x0, #tpidr_at]
    msr tpidr_el0, x1
    ret
    .size kerntoll_nano_load_task_registers, . - kerntoll_nano_load_task_registers

// void kerntoll_nano_semihosting(uint64_t operation, const uint64_t* parameters)
// In:  interrupts masked; x0, x1 = as semihosting has them (Arm, "Semihosting for AArch32 and
//      AArch64").
// Out: as the operation says; where semihosting is off the instruction is undefined, which is no
//      fault of the kernel's, so for its time it has vectors of its own. Clobbers x2, x3.
    .globl kerntoll_nano_semihosting
    .type kerntoll_nano_semihosting, %function
kerntoll_nano_semihosting:
    mrs x2, vbar_el1
    adrp x3, vectors_without_semihosting
    add x3, x3, #:lo12:vectors_without_semihosting
    msr vbar_el1, x3
    isb
    hlt #0xf000
semihosting_is_done:
    msr vbar_el1, x2
    isb
    ret
    .size kerntoll_nano_semihosting, . - kerntoll_nano_semihosting

// In: as kerntoll_nano_semihosting behind the hlt. The one vector that can be taken: synchronous,
// from this level with its own stack pointer.
    .balign 2048
vectors_without_semihosting:
    .org vectors_without_semihosting + 0x200
    b semihosting_is_done
    .section .note.GNU-stack, "", %progbits
