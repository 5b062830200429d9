// SPDX-License-Identifier: MIT
// 1024 dependent instructions of one cycle each, and a return. Entered by basr at any of them.
// Takes r1, whatever it holds; clobbers r0 and the condition code. The return address is in r14.
    .text
    .p2align 6
    .globl kerntoll_agent_sled
    .globl kerntoll_agent_sled_end
    .type kerntoll_agent_sled, @function
kerntoll_agent_sled:
    .rept 1024
    xgr %r0, %r1
    .endr
kerntoll_agent_sled_end:
    br %r14
    .size kerntoll_agent_sled, . - kerntoll_agent_sled
    .section .note.GNU-stack, "", @progbits
