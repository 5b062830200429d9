// SPDX-License-Identifier: MIT
// Entry: r15 (8-byte aligned) points at argc, then argv, a zero, the environment, a zero, the
// auxiliary vector; all other registers are unspecified.
// Leaves: r2 = that address; r15 below the 160 bytes that a callee may write above its own frame,
// with a zero back chain.
    .text
    .globl _start
    .type _start, @function
_start:
    lgr %r2, %r15
    aghi %r15, -160
    xc 0(8, %r15), 0(%r15)
    brasl %r14, kerntoll_agent_main
    j .+2                       // it does not return: this is an invalid instruction
    .size _start, . - _start
    .section .note.GNU-stack, "", @progbits
