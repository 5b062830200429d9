// SPDX-License-Identifier: MIT
// Switching between kernel stacks, and the registers that only this file touches.
#include "offsets.h"

    .text
// void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack)
// In:  interrupts off; r2 = where to leave this stack's pointer; r3 = one that was left so, or was
//      made by prepare_stack().
// Out: on the other stack, with r6 to r15 and the lowcore's frame and stack of its Thread. All are
//      kept in the area above the stack pointer that belongs to whoever is called.
    .globl kerntoll_nano_switch_stacks
    .type kerntoll_nano_switch_stacks, %function
kerntoll_nano_switch_stacks:
    mvc 16(8, %r15), LOWCORE_KERNEL(2)
    mvc 24(8, %r15), LOWCORE_KERNEL(15)
    stmg %r6, %r15, 48(%r15)
    stg %r15, 0(%r2)
    mvc LOWCORE_KERNEL(2)(8), 16(%r3)
    mvc LOWCORE_KERNEL(15)(8), 24(%r3)
    lmg %r6, %r15, 48(%r3)
    br %r14
    .size kerntoll_nano_switch_stacks, . - kerntoll_nano_switch_stacks

// void kerntoll_nano_save_task_registers(TaskRegisters*)
// In: r2 = TaskRegisters. Out: it holds v0 to v31, a0 to a15 and fpc. Clobbers nothing.
    .globl kerntoll_nano_save_task_registers
    .type kerntoll_nano_save_task_registers, %function
kerntoll_nano_save_task_registers:
    vstm %v0, %v15, 0(%r2)
    vstm %v16, %v31, 256(%r2)
    stam %a0, %a15, 512(%r2)
    stfpc 576(%r2)
    br %r14
    .size kerntoll_nano_save_task_registers, . - kerntoll_nano_save_task_registers

// void kerntoll_nano_load_task_registers(const TaskRegisters*)
// In: r2 = TaskRegisters, with an fpc that the processor takes. Out: v0 to v31, a0 to a15 and fpc are
// what it holds. Clobbers nothing else.
    .globl kerntoll_nano_load_task_registers
    .type kerntoll_nano_load_task_registers, %function
kerntoll_nano_load_task_registers:
    vlm %v0, %v15, 0(%r2)
    vlm %v16, %v31, 256(%r2)
    lam %a0, %a15, 512(%r2)
    lfpc 576(%r2)
    br %r14
    .size kerntoll_nano_load_task_registers, . - kerntoll_nano_load_task_registers
    .section .note.GNU-stack, "", %progbits
