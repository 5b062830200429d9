// SPDX-License-Identifier: MIT
// Where the program begins: the process is told who it is, then the agent starts as it always does.
// In: as for _start (agent/arch/arm64/start.S): sp at argc, all other registers unspecified.
// Leaves: sp as it was; x30 is lost.
    .text
    .globl kerntoll_hosted_start
    .type kerntoll_hosted_start, %function
kerntoll_hosted_start:
    bl kerntoll_hosted_begin
    b _start
    .size kerntoll_hosted_start, . - kerntoll_hosted_start
    .section .note.GNU-stack, "", %progbits
