// SPDX-License-Identifier: MIT
// long kerntoll_canary(uint64_t seed, long number, long rounds)
// Fills every register with a value of its own, makes the call `number`, or counts down for a while
// where that is negative, -2 after a load from where nothing is, and looks at all of them again; `rounds` times.
// In:  r2 = seed, r3 = number, r4 = rounds.
// Out: r2 = 0, or the number of the register that had changed, 32 for one of v0 to v15, 33 for one
//      of v16 to v31, 34 for an access register, 35 for the floating-point control.
    .equ number, 160
    .equ rounds, 168
    .equ control, 176               // fpc: the seed's lowest bits are the way of rounding
    .equ found_control, 180
    .equ found, 184                 // 256 bytes
    .equ expected, 440              // 80 times seed + n, 640 bytes
    .equ vectors, expected + 128    // v0 to v31
    .equ size, 1080
    .equ spins, 200000

    .text
    .machine "z13"
    .globl kerntoll_canary
    .type kerntoll_canary, @function
kerntoll_canary:
    stmg %r6, %r15, 48(%r15)
    aghi %r15, -size
    stg %r3, number(%r15)
    stg %r4, rounds(%r15)
    lgr %r1, %r2
    nilf %r1, 3
    st %r1, control(%r15)
    lghi %r1, 80
    la %r3, expected(%r15)
1:  stg %r2, 0(%r3)
    aghi %r2, 1
    la %r3, 8(%r3)
    brctg %r1, 1b
again:
    vlm %v0, %v15, vectors(%r15)
    vlm %v16, %v31, vectors + 256(%r15)
    lam %a0, %a15, expected(%r15)
    lfpc control(%r15)
    lmg %r2, %r14, expected + 16(%r15)
    lg %r0, expected(%r15)
    lg %r1, number(%r15)
    ltgr %r1, %r1
    jl 1f
    svc 0
    j 2f
1:  cghi %r1, -2
    jne 4f
    ic %r0, 0(%r3)
4:  lgfi %r1, spins
3:  brctg %r1, 3b
2:  .irp n, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
    cg %r\n, expected + 8 * \n(%r15)
    lghi %r2, \n
    jne done
    .endr
    lghi %r2, 32
    vstm %v0, %v15, found(%r15)
    clc found(256, %r15), vectors(%r15)
    jne done
    lghi %r2, 33
    vstm %v16, %v31, found(%r15)
    clc found(256, %r15), vectors + 256(%r15)
    jne done
    lghi %r2, 34
    stam %a0, %a15, found(%r15)
    clc found(64, %r15), expected(%r15)
    jne done
    lghi %r2, 35
    stfpc found_control(%r15)
    clc found_control(4, %r15), control(%r15)
    jne done
    lg %r1, rounds(%r15)
    aghi %r1, -1
    stg %r1, rounds(%r15)
    jne again
    lghi %r2, 0
done:
    lghi %r1, 0
    sfpc %r1
    lmg %r6, %r15, size + 48(%r15)
    br %r14
    .size kerntoll_canary, . - kerntoll_canary
    .section .note.GNU-stack, "", @progbits
