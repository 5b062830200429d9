// SPDX-License-Identifier: MIT
// long kerntoll_canary(uint64_t seed, long number, long rounds)
// Fills every register with a value of its own, makes the call `number`, or counts down for a while
// where that is negative, -2 after a load from where nothing is, and looks at all of them again; `rounds` times. t0 to t8 may be lost in a
// call, and are looked at where there is none; behind a call they may be what they were, or 0.
// In:  a0 = seed, a1 = number, a2 = rounds.
// Out: a0 = 0, or the number of the register that had changed (f0 is 32), or 64 for fcsr0, 65 for
//      the condition flags.
    .equ seed, 0
    .equ number, 8
    .equ rounds, 16
    .equ kept, 24
    .equ size, 128
    .equ spins, 200000

.macro for_each_integer op              // but r0, sp, a0 (result), a7 (number), t0 to t8
    .irp n, 1, 2, 5, 6, 7, 8, 9, 10, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op \n
    .endr
.endm
.macro for_each_temporary op
    .irp n, 12, 13, 14, 15, 16, 17, 18, 19, 20
    \op \n
    .endr
.endm
.macro for_each_float op
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op \n
    .endr
.endm
.macro fill_integer n
    ld.d $r\n, $sp, seed
    addi.d $r\n, $r\n, \n
.endm
.macro fill_float n
    ld.d $t0, $sp, seed
    addi.d $t0, $t0, 32 + \n
    movgr2fr.d $f\n, $t0
.endm
.macro check_integer n
    ld.d $a0, $sp, seed
    addi.d $a0, $a0, \n
    sub.d $a7, $a0, $r\n
    li.w $a0, \n
    bnez $a7, done
.endm
.macro check_temporary n
    ld.d $a0, $sp, number
    bltz $a0, 9f
    beqz $r\n, 8f
9:  check_integer \n
8:
.endm
.macro check_float n
    ld.d $t0, $sp, seed
    addi.d $t0, $t0, 32 + \n
    movfr2gr.d $t1, $f\n
    li.w $a0, 32 + \n
    bne $t0, $t1, done
.endm

    .text
    .globl kerntoll_canary
    .type kerntoll_canary, @function
kerntoll_canary:
    addi.d $sp, $sp, -size
    st.d $a0, $sp, seed
    st.d $a1, $sp, number
    st.d $a2, $sp, rounds
    st.d $ra, $sp, kept
    st.d $tp, $sp, kept + 8
    st.d $r21, $sp, kept + 16
    .irp n, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    st.d $r\n, $sp, kept + 24 + 8 * (\n - 22)
    .endr
again:
    ld.d $t0, $sp, seed
    andi $t0, $t0, 3
    movgr2cf $fcc0, $t0
    movgr2cf $fcc7, $t0
    slli.d $t0, $t0, 8                  // the way of rounding
    movgr2fcsr $fcsr0, $t0
    for_each_float fill_float
    for_each_integer fill_integer
    for_each_temporary fill_integer
    ld.d $a7, $sp, number
    bltz $a7, 1f
    li.w $a0, 0
    syscall 0
    b 2f
1:  li.w $a0, -2
    bne $a7, $a0, 4f
    ld.b $a0, $a1, 0
4:  lu12i.w $a0, spins >> 12
3:  addi.d $a0, $a0, -1
    bnez $a0, 3b
2:  for_each_integer check_integer
    for_each_temporary check_temporary
    for_each_float check_float
    ld.d $t1, $sp, seed
    andi $t1, $t1, 3
    li.w $a0, 64
    movfcsr2gr $t0, $fcsr0
    slli.d $t2, $t1, 8
    bne $t0, $t2, done
    li.w $a0, 65
    andi $t1, $t1, 1
    movcf2gr $t0, $fcc0
    bne $t0, $t1, done
    movcf2gr $t0, $fcc7
    bne $t0, $t1, done
    ld.d $t0, $sp, rounds
    addi.d $t0, $t0, -1
    st.d $t0, $sp, rounds
    bnez $t0, again
    li.w $a0, 0
done:
    movgr2fcsr $fcsr0, $zero
    ld.d $ra, $sp, kept
    ld.d $tp, $sp, kept + 8
    ld.d $r21, $sp, kept + 16
    .irp n, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    ld.d $r\n, $sp, kept + 24 + 8 * (\n - 22)
    .endr
    addi.d $sp, $sp, size
    ret
    .size kerntoll_canary, . - kerntoll_canary
    .section .note.GNU-stack, "", @progbits
