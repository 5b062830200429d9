// SPDX-License-Identifier: MIT
// 1024 dependent instructions of one cycle each, and a return. Entered by blr at any of them.
// Takes x10, whatever it holds; clobbers x9. The return address is in x30.
    .text
    .p2align 6
    .globl kerntoll_agent_sled
    .globl kerntoll_agent_sled_end
    .type kerntoll_agent_sled, %function
kerntoll_agent_sled:
    .rept 1024
    eor x9, x9, x10
    .endr
kerntoll_agent_sled_end:
    ret
    .size kerntoll_agent_sled, . - kerntoll_agent_sled
    .section .note.GNU-stack, "", %progbits
