// SPDX-License-Identifier: MIT
// Entry: sp (16-byte aligned) points at argc, then argv, a zero, the environment, a zero, the
// auxiliary vector; x0 is 0 or a function for atexit, all other registers are unspecified.
// Leaves: x0 = that address; x29 = x30 = 0 end the frame chain.
    .text
    .globl _start
    .type _start, %function
_start:
    mov x29, #0
    mov x30, #0
    mov x0, sp
    bl kerntoll_agent_main
    brk #0                      // it does not return
    .size _start, . - _start
    .section .note.GNU-stack, "", %progbits
