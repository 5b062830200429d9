// SPDX-License-Identifier: MIT
// Switching between kernel stacks, and the floating-point registers, which only this file touches.
#include "offsets.h"

    .equ unit_on, 1                 // EUEN.FPE
    .equ saved_size, 112

    .text
// void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack)
// In:  interrupts off; a0 = where to leave this stack's pointer; a1 = one that was left so, or was
//      made by prepare_stack().
// Out: on the other stack, with what it keeps: ra, the frame of its Thread in SAVE1, fp and s0 to
//      s8; tp and r21, which C does not touch and which are the user's in a call with frame=lazy.
//      Clobbers what C may.
    .globl kerntoll_nano_switch_stacks
    .type kerntoll_nano_switch_stacks, %function
kerntoll_nano_switch_stacks:
    addi.d $sp, $sp, -saved_size
    csrrd $t0, CSR_KERNEL_FRAME
    st.d $ra, $sp, 0
    st.d $t0, $sp, 8
    .irp n, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    st.d $r\n, $sp, 16 + 8 * (\n - 22)
    .endr
    st.d $tp, $sp, 96
    st.d $r21, $sp, 104
    st.d $sp, $a0, 0
    move $sp, $a1
    ld.d $ra, $sp, 0
    ld.d $t0, $sp, 8
    .irp n, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ld.d $r\n, $sp, 16 + 8 * (\n - 22)
    .endr
    ld.d $tp, $sp, 96
    ld.d $r21, $sp, 104
    csrwr $t0, CSR_KERNEL_FRAME
    addi.d $sp, $sp, saved_size
    ret
    .size kerntoll_nano_switch_stacks, . - kerntoll_nano_switch_stacks

// void kerntoll_nano_save_task_registers(TaskRegisters*)
// In: a0 = TaskRegisters. Out: it holds f0 to f31, fcc0 to fcc7 and fcsr0. Clobbers t0 to t2; the unit
// is off again.
    .globl kerntoll_nano_save_task_registers
    .type kerntoll_nano_save_task_registers, %function
kerntoll_nano_save_task_registers:
    ori $t0, $zero, unit_on
    csrwr $t0, CSR_EUEN
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fst.d $f\n, $a0, 8 * \n
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    movcf2gr $t1, $fcc\n
    st.b $t1, $a0, 256 + \n
    .endr
    movfcsr2gr $t1, $fcsr0
    st.d $t1, $a0, 264
    csrwr $zero, CSR_EUEN
    ret
    .size kerntoll_nano_save_task_registers, . - kerntoll_nano_save_task_registers

// void kerntoll_nano_load_task_registers(const TaskRegisters*)
// In: a0 = TaskRegisters. Out: f0 to f31, fcc0 to fcc7 and fcsr0 are what it holds. Clobbers t0 to t2;
// the unit is off again.
    .globl kerntoll_nano_load_task_registers
    .type kerntoll_nano_load_task_registers, %function
kerntoll_nano_load_task_registers:
    ori $t0, $zero, unit_on
    csrwr $t0, CSR_EUEN
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    fld.d $f\n, $a0, 8 * \n
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    ld.b $t1, $a0, 256 + \n
    movgr2cf $fcc\n, $t1
    .endr
    ld.d $t1, $a0, 264
    movgr2fcsr $fcsr0, $t1
    csrwr $zero, CSR_EUEN
    ret
    .size kerntoll_nano_load_task_registers, . - kerntoll_nano_load_task_registers
    .section .note.GNU-stack, "", %progbits
