// SPDX-License-Identifier: MIT
// Switching between kernel stacks, and the floating-point registers, which only this file touches.

    .equ status_floats, 0x6000          // sstatus.FS, both bits: on, and counted as changed
    .equ saved_size, 128

    .text
// void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack)
// In:  interrupts off; a0 = where to leave this stack's pointer; a1 = one that was left so, or was
//      made by prepare_stack().
// Out: on the other stack, with what it keeps: ra, tp (its Thread), s0 to s11, and gp, which is the
//      user's while a call of frame=lazy runs. Clobbers what C may.
    .globl kerntoll_nano_switch_stacks
    .type kerntoll_nano_switch_stacks, %function
kerntoll_nano_switch_stacks:
    addi sp, sp, -saved_size
    sd ra, 0(sp)
    sd tp, 8(sp)
    sd gp, 16(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd s\n, 24 + 8 * \n(sp)
    .endr
    sd sp, 0(a0)
    mv sp, a1
    ld ra, 0(sp)
    ld tp, 8(sp)
    ld gp, 16(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld s\n, 24 + 8 * \n(sp)
    .endr
    addi sp, sp, saved_size
    ret
    .size kerntoll_nano_switch_stacks, . - kerntoll_nano_switch_stacks

// Where a new task's stack begins to run (prepare_stack() puts its address into ra).
// In:  interrupts off; sp = the frame, which lies below the Thread; tp = the Thread.
    .globl kerntoll_nano_start_task
    .type kerntoll_nano_start_task, %function
kerntoll_nano_start_task:
    tail kerntoll_entry_begin_user
    .size kerntoll_nano_start_task, . - kerntoll_nano_start_task

    .option push
    .option arch, +d
// void kerntoll_nano_save_task_registers(TaskRegisters*)
// In: a0 = TaskRegisters. Out: it holds f0 to f31 and fcsr. Clobbers t0, t1; the unit is off again.
    .globl kerntoll_nano_save_task_registers
    .type kerntoll_nano_save_task_registers, %function
kerntoll_nano_save_task_registers:
    li t0, status_floats
    csrs sstatus, t0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fsd f\n, 8*\n(a0)
    .endr
    csrr t1, fcsr
    sd t1, 256(a0)
    csrc sstatus, t0
    ret
    .size kerntoll_nano_save_task_registers, . - kerntoll_nano_save_task_registers

// void kerntoll_nano_load_task_registers(const TaskRegisters*)
// In: a0 = TaskRegisters. Out: f0 to f31 and fcsr are what it holds. Clobbers t0, t1; the unit is off
// again.
    .globl kerntoll_nano_load_task_registers
    .type kerntoll_nano_load_task_registers, %function
kerntoll_nano_load_task_registers:
    li t0, status_floats
    csrs sstatus, t0
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fld f\n, 8*\n(a0)
    .endr
    ld t1, 256(a0)
    csrw fcsr, t1
    csrc sstatus, t0
    ret
    .size kerntoll_nano_load_task_registers, . - kerntoll_nano_load_task_registers
    .option pop
    .section .note.GNU-stack, "", %progbits
