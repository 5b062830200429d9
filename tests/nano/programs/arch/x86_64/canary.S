// SPDX-License-Identifier: MIT
// long kerntoll_canary(uint64_t seed, long number, long rounds)
// Fills every register with a value of its own, makes the call `number`, or counts down for a while
// where that is negative, -2 after a load from where nothing is, and looks at all of them again; `rounds` times. Behind a call rcx and r11
// have to be what SYSCALL made of them.
// In:  rdi = seed, rsi = number, rdx = rounds.
// Out: rax = 0, or the number of the register that had changed (below), or 64 for MXCSR.
    .equ seed, 0
    .equ number, 8
    .equ rounds, 16
    .equ control, 24
    .equ size, 40
    .equ spins, 200000
    .equ masked, 0x1f80                 // MXCSR: all exceptions

.macro for_each_kept op                 // of all registers but rsp, rax (result), rcx and r11
    \op rbx, 3
    \op rdx, 4
    \op rsi, 5
    \op rdi, 6
    \op rbp, 7
    \op r8, 8
    \op r9, 9
    \op r10, 10
    \op r12, 12
    \op r13, 13
    \op r14, 14
    \op r15, 15
.endm
.macro for_each_float op
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \op \n
    .endr
.endm
.macro fill name, n
    movq seed(%rsp), %\name
    addq $\n, %\name
.endm
.macro check name, n
    movq seed(%rsp), %rax
    addq $\n, %rax
    cmpq %rax, %\name
    movl $\n, %eax
    jne done
.endm
.macro fill_float n
    movq seed(%rsp), %rax
    addq $(32 + \n), %rax
    movq %rax, %xmm\n
    punpcklqdq %xmm\n, %xmm\n
.endm
.macro check_float n
    movq seed(%rsp), %rax
    addq $(32 + \n), %rax
    movq %xmm\n, %rcx
    psrldq $8, %xmm\n
    movq %xmm\n, %rdx
    subq %rax, %rcx
    subq %rax, %rdx
    orq %rcx, %rdx
    movl $(32 + \n), %eax
    jne done
.endm
.macro rounding to                      // of the seed, as MXCSR has it
    movl seed(%rsp), \to
    andl $3, \to
    shll $13, \to
    orl $masked, \to
.endm

    .text
    .globl kerntoll_canary
    .type kerntoll_canary, @function
kerntoll_canary:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $size, %rsp
    movq %rdi, seed(%rsp)
    movq %rsi, number(%rsp)
    movq %rdx, rounds(%rsp)
again:
    rounding %eax
    movl %eax, control(%rsp)
    ldmxcsr control(%rsp)
    for_each_float fill_float
    for_each_kept fill
    movq number(%rsp), %rax
    testq %rax, %rax
    js 1f
    syscall
behind:
    leaq behind(%rip), %rax
    cmpq %rax, %rcx
    movl $1, %eax
    jne done
    pushfq
    popq %rax
    // All but arithmetic, which differs: interrupts and the bit that is always set, and nothing else.
    xorq %r11, %rax
    testq $~0x8d5, %rax
    movl $11, %eax
    jne done
    jmp 2f
1:  fill rcx, 1
    fill r11, 11
    cmpq $-2, %rax
    jne 4f
    movb (%rdi), %al
4:
    movl $spins, %eax
3:  decl %eax
    jnz 3b
    check rcx, 1
    check r11, 11
2:  for_each_kept check
    for_each_float check_float
    stmxcsr control(%rsp)
    rounding %ecx
    movl control(%rsp), %edx
    andl $~0x3f, %edx                   // what exceptions left
    cmpl %ecx, %edx
    movl $64, %eax
    jne done
    decq rounds(%rsp)
    jnz again
    xorl %eax, %eax
done:
    movl $masked, control(%rsp)
    ldmxcsr control(%rsp)
    addq $size, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
    .size kerntoll_canary, . - kerntoll_canary
    .section .note.GNU-stack, "", @progbits
