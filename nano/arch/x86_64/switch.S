// SPDX-License-Identifier: MIT
// Switching between kernel stacks, and the registers that only this file touches.
#include "offsets.h"

    .equ selectors, 512             // TaskRegisters

    .text
// void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack)
// In:  interrupts off; rdi = where to leave this stack's pointer; rsi = one that was left so, or was
//      made by prepare_stack().
// Out: on the other stack, with what it keeps: rbx, rbp, r12 to r15, and gs and the task state
//      segment at its Thread. Clobbers what C may.
    .globl kerntoll_nano_switch_stacks
    .type kerntoll_nano_switch_stacks, @function
kerntoll_nano_switch_stacks:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %gs:THREAD_SCRATCH        // the frame of this stack
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %rdi
    subq $8, %rsp
    call kerntoll_nano_use_thread_of
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
    .size kerntoll_nano_switch_stacks, . - kerntoll_nano_switch_stacks

// Where a new task's stack begins to run (prepare_stack() makes it the return address).
// In:  interrupts off; rsp = the frame, which lies below the Thread; gs = the Thread.
    .globl kerntoll_nano_start_task
    .type kerntoll_nano_start_task, @function
kerntoll_nano_start_task:
    jmp kerntoll_entry_begin_user
    .size kerntoll_nano_start_task, . - kerntoll_nano_start_task

// void kerntoll_nano_save_task_registers(TaskRegisters*)
// In: rdi = TaskRegisters. Out: it holds x87, SSE and the selectors. Clobbers nothing.
    .globl kerntoll_nano_save_task_registers
    .type kerntoll_nano_save_task_registers, @function
kerntoll_nano_save_task_registers:
    fxsave64 (%rdi)
    movw %ds, selectors(%rdi)
    movw %es, selectors+2(%rdi)
    movw %fs, selectors+4(%rdi)
    movw %gs, selectors+6(%rdi)
    ret
    .size kerntoll_nano_save_task_registers, . - kerntoll_nano_save_task_registers

// void kerntoll_nano_load_task_registers(const TaskRegisters*)
// In: rdi = TaskRegisters. Out: x87, SSE and the selectors are what it holds. Clobbers nothing.
    .globl kerntoll_nano_load_task_registers
    .type kerntoll_nano_load_task_registers, @function
kerntoll_nano_load_task_registers:
    fxrstor64 (%rdi)
    movw selectors(%rdi), %ds
    movw selectors+2(%rdi), %es
    movw selectors+4(%rdi), %fs
    // Loading gs loads its base too, which is the user's while gs is swapped.
    pushfq
    cli
    swapgs
    movw selectors+6(%rdi), %gs
    swapgs
    popfq
    ret
    .size kerntoll_nano_load_task_registers, . - kerntoll_nano_load_task_registers
    .section .note.GNU-stack, "", @progbits
