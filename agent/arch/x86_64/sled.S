// SPDX-License-Identifier: MIT
// 1024 dependent instructions of one cycle each, and a return. Entered by call at any of them.
// Takes rcx, whatever it holds; clobbers rax and the flags.
// An exclusive or with a register, since recent cores fold a chain of additions of constants away.
    .text
    .p2align 6
    .globl kerntoll_agent_sled
    .globl kerntoll_agent_sled_end
    .type kerntoll_agent_sled, @function
kerntoll_agent_sled:
    .rept 1024
    xorq %rcx, %rax
    .endr
kerntoll_agent_sled_end:
    ret
    .size kerntoll_agent_sled, . - kerntoll_agent_sled
    .section .note.GNU-stack, "", @progbits
