// SPDX-License-Identifier: MIT
// long kerntoll_canary(uint64_t seed, long number, long rounds)
// Fills every register with a value of its own, makes the call `number`, or counts down for a while
// where that is negative, -2 after a load from where nothing is, and looks at all of them again; `rounds` times.
// In:  x0 = seed, x1 = number, x2 = rounds.
// Out: x0 = 0, or the number of the register that had changed (v0 is 32), or 64 for FPCR, 65 for
//      TPIDR_EL0.
    .equ seed, 0
    .equ number, 8
    .equ rounds, 16
    .equ kept, 32
    .equ thread_pointer, 128
    .equ size, 144
    .equ spins, 200000

.macro for_each_integer op              // but x0 (result), x8 (number)
    .irp n, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    \op \n
    .endr
.endm
.macro for_each_float op
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op \n
    .endr
.endm
.macro fill_integer n
    ldr x\n, [sp, #seed]
    add x\n, x\n, #\n
.endm
.macro fill_float n
    ldr x1, [sp, #seed]
    add x1, x1, #(32 + \n)
    dup v\n\().2d, x1
.endm
.macro check_integer n
    ldr x0, [sp, #seed]
    add x0, x0, #\n
    cmp x0, x\n
    mov x0, #\n
    b.ne done
.endm
.macro check_float n
    ldr x1, [sp, #seed]
    add x1, x1, #(32 + \n)
    mov x2, v\n\().d[0]
    mov x3, v\n\().d[1]
    cmp x1, x2
    ccmp x1, x3, #0, eq
    mov x0, #(32 + \n)
    b.ne done
.endm
.macro rounding to                      // of the seed, as FPCR has it
    ldr \to, [sp, #seed]
    ubfiz \to, \to, #22, #2
.endm

    .arch_extension simd
    .text
    .globl kerntoll_canary
    .type kerntoll_canary, %function
kerntoll_canary:
    sub sp, sp, #size
    stp x0, x1, [sp, #seed]
    str x2, [sp, #rounds]
    stp x19, x20, [sp, #kept]
    stp x21, x22, [sp, #kept + 16]
    stp x23, x24, [sp, #kept + 32]
    stp x25, x26, [sp, #kept + 48]
    stp x27, x28, [sp, #kept + 64]
    stp x29, x30, [sp, #kept + 80]
    mrs x3, tpidr_el0
    str x3, [sp, #thread_pointer]
again:
    rounding x1
    msr fpcr, x1
    ldr x1, [sp, #seed]
    msr tpidr_el0, x1
    for_each_float fill_float
    for_each_integer fill_integer
    ldr x8, [sp, #number]
    tbnz x8, #63, 1f
    mov x0, xzr
    svc #0
    ldr x0, [sp, #number]
    cmp x0, x8
    mov x0, #8
    b.ne done
    b 2f
1:  cmn x8, #2
    fill_integer 8
    b.ne 4f
    ldrb wzr, [x1]
4:
    ldr w0, =spins
3:  sub w0, w0, #1
    cbnz w0, 3b
    check_integer 8
2:  for_each_integer check_integer
    for_each_float check_float
    mov x0, #64
    mrs x1, fpcr
    rounding x2
    cmp x1, x2
    b.ne done
    mov x0, #65
    mrs x1, tpidr_el0
    ldr x2, [sp, #seed]
    cmp x1, x2
    b.ne done
    ldr x1, [sp, #rounds]
    subs x1, x1, #1
    str x1, [sp, #rounds]
    b.ne again
    mov x0, xzr
done:
    msr fpcr, xzr
    ldr x1, [sp, #thread_pointer]
    msr tpidr_el0, x1
    ldp x19, x20, [sp, #kept]
    ldp x21, x22, [sp, #kept + 16]
    ldp x23, x24, [sp, #kept + 32]
    ldp x25, x26, [sp, #kept + 48]
    ldp x27, x28, [sp, #kept + 64]
    ldp x29, x30, [sp, #kept + 80]
    add sp, sp, #size
    ret
    .size kerntoll_canary, . - kerntoll_canary
    .section .note.GNU-stack, "", %progbits
