// SPDX-License-Identifier: MIT
// Entry: sp (16-byte aligned) points at argc, then argv, a zero, the environment, a zero, the
// auxiliary vector; all other registers are unspecified.
// Leaves: a0 = that address; ra = s0 = 0 end the frame chain. gp stays unset: nothing is linked
// relative to it.
    .text
    .globl _start
    .type _start, %function
_start:
    li ra, 0
    li s0, 0
    mv a0, sp
    call kerntoll_agent_main
    unimp                       // it does not return
    .size _start, . - _start
    .section .note.GNU-stack, "", %progbits
