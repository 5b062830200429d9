// SPDX-License-Identifier: MIT
// long kerntoll_canary(uint64_t seed, long number, long rounds)
// Fills every register with a value of its own, makes the call `number`, or counts down for a while
// where that is negative, -2 after a load from where nothing is, and looks at all of them again; `rounds` times.
// In:  a0 = seed, a1 = number, a2 = rounds.
// Out: a0 = 0, or the number of the register that had changed (f0 is 32), or 64 for fcsr.
    .equ seed, 0
    .equ number, 8
    .equ rounds, 16
    .equ kept, 24
    .equ size, 160
    .equ spins, 200000

.macro for_each_integer op              // but x0, sp, a0 (result) and a7 (number)
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op \n
    .endr
.endm
.macro for_each_float op
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op \n
    .endr
.endm
.macro fill_integer n
    ld x\n, seed(sp)
    addi x\n, x\n, \n
.endm
.macro fill_float n
    ld t0, seed(sp)
    addi t0, t0, 32 + \n
    fmv.d.x f\n, t0
.endm
.macro check_integer n
    ld a0, seed(sp)
    addi a0, a0, \n
    sub a7, a0, x\n
    li a0, \n
    bnez a7, done
.endm
.macro check_float n
    ld t0, seed(sp)
    addi t0, t0, 32 + \n
    fmv.x.d t1, f\n
    li a0, 32 + \n
    bne t0, t1, done
.endm

    .option arch, +d
    .text
    .globl kerntoll_canary
    .type kerntoll_canary, %function
kerntoll_canary:
    addi sp, sp, -size
    sd a0, seed(sp)
    sd a1, number(sp)
    sd a2, rounds(sp)
    sd ra, kept(sp)
    sd gp, kept + 8(sp)
    sd tp, kept + 16(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd s\n, kept + 24 + 8 * \n(sp)
    .endr
again:
    ld t0, seed(sp)
    andi t0, t0, 3
    fsrm t0
    for_each_float fill_float
    for_each_integer fill_integer
    ld a7, number(sp)
    bltz a7, 1f
    li a0, 0
    ecall
    j 2f
1:  li a0, -2
    bne a7, a0, 4f
    .option push
    .option norvc
    lb zero, 0(a1)
    .option pop
4:  li a0, spins
3:  addi a0, a0, -1
    bnez a0, 3b
2:  for_each_integer check_integer
    for_each_float check_float
    li a0, 64
    frrm t0
    ld t1, seed(sp)
    andi t1, t1, 3
    bne t0, t1, done
    ld t0, rounds(sp)
    addi t0, t0, -1
    sd t0, rounds(sp)
    bnez t0, again
    li a0, 0
done:
    fsrm zero
    ld ra, kept(sp)
    ld gp, kept + 8(sp)
    ld tp, kept + 16(sp)
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld s\n, kept + 24 + 8 * \n(sp)
    .endr
    addi sp, sp, size
    ret
    .size kerntoll_canary, . - kerntoll_canary
    .section .note.GNU-stack, "", %progbits
