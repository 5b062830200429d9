// SPDX-License-Identifier: MIT
// 1024 dependent instructions of one cycle each, and a return. Entered by jalr t0 at any of them.
// Takes t2, whatever it holds; clobbers t1. The return address is in t0, the alternate link
// register, which the return-address predictor knows too.
    .text
    .p2align 6
    .globl kerntoll_agent_sled
    .globl kerntoll_agent_sled_end
    .type kerntoll_agent_sled, %function
kerntoll_agent_sled:
    .rept 1024
    xor t1, t1, t2
    .endr
kerntoll_agent_sled_end:
    jr t0
    .size kerntoll_agent_sled, . - kerntoll_agent_sled
    .section .note.GNU-stack, "", %progbits
