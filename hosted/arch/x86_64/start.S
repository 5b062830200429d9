// SPDX-License-Identifier: MIT
// Where the program begins: the process is told who it is, then the agent starts as it always does.
// In: as for _start (agent/arch/x86_64/start.S): rsp at argc, all other registers unspecified.
// Leaves: rsp as it was; rbx is lost.
    .text
    .globl kerntoll_hosted_start
    .type kerntoll_hosted_start, @function
kerntoll_hosted_start:
    movq %rsp, %rbx
    andq $-16, %rsp
    call kerntoll_hosted_begin
    movq %rbx, %rsp
    jmp _start
    .size kerntoll_hosted_start, . - kerntoll_hosted_start
    .section .note.GNU-stack, "", @progbits
