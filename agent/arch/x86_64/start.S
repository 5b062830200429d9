// SPDX-License-Identifier: MIT
// Entry: rsp points at argc, then argv, a zero, the environment, a zero, the auxiliary vector; all
// other registers are unspecified (rdx: a function for atexit, 0 in static programs).
// Leaves: rdi = that address, rsp 16-byte aligned before the call, rbp = 0 ends the frame chain.
    .text
    .globl _start
    .type _start, @function
_start:
    xorl %ebp, %ebp
    movq %rsp, %rdi
    andq $-16, %rsp
    call kerntoll_agent_main
    ud2                         // it does not return
    .size _start, . - _start
    .section .note.GNU-stack, "", @progbits
