// SPDX-License-Identifier: MIT
// 1024 dependent instructions of one cycle each, and a return. Entered by jirl at any of them.
// Takes t1, whatever it holds; clobbers t0. The return address is in ra.
    .text
    .p2align 6
    .globl kerntoll_agent_sled
    .globl kerntoll_agent_sled_end
    .type kerntoll_agent_sled, @function
kerntoll_agent_sled:
    .rept 1024
    xor $t0, $t0, $t1
    .endr
kerntoll_agent_sled_end:
    jr $ra
    .size kerntoll_agent_sled, . - kerntoll_agent_sled
    .section .note.GNU-stack, "", @progbits
