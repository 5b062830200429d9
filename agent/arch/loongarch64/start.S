// SPDX-License-Identifier: MIT
// Entry: sp (16-byte aligned) points at argc, then argv, a zero, the environment, a zero, the
// auxiliary vector; all other registers are unspecified.
// Leaves: a0 = that address; ra = fp = 0 end the frame chain.
    .text
    .globl _start
    .type _start, @function
_start:
    move $ra, $zero
    move $fp, $zero
    move $a0, $sp
    bl kerntoll_agent_main
    break 0                     // it does not return
    .size _start, . - _start
    .section .note.GNU-stack, "", @progbits
