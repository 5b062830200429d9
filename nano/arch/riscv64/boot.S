// SPDX-License-Identifier: MIT
// From the reset of QEMU's `virt` machine (-bios none) to kerntoll_nano_main in S-mode.
#include "kerntoll/entry/stack.h"

    .equ pmp_all, 0x1f              // NAPOT, read, write, execute: the one entry covers everything
    .equ exceptions, 0xb1ff         // all but calls from S- and M-mode, of which there are none
    .equ interrupts, 0x222          // software, timer and external ones of S-mode
    .equ mstatus_mpp, 0x1800        // previous mode, both bits
    .equ mstatus_mpp_s, 0x0800      // S-mode
    .equ test_device, 0x100000
    .equ test_fail, 0x3333 | 255 << 16

    .section .text.boot, "ax"
// In: M-mode, paging off, interrupts off, a0 = hart, a1 = device tree (both unused: one hart, a
// known machine). Memory beyond the image's data reads as zero, as the loader left it.
// Out: S-mode at kerntoll_nano_main, sp = tp = the Thread of the boot stack, ra = s0 = 0; clobbers
// t0.
    .globl kerntoll_nano_start
    .type kerntoll_nano_start, %function
kerntoll_nano_start:
    li t0, -1
    csrw pmpaddr0, t0
    li t0, pmp_all                  // without it S-mode may access nothing
    csrw pmpcfg0, t0
    li t0, exceptions
    csrw medeleg, t0
    li t0, interrupts
    csrw mideleg, t0
    li t0, 7                        // cycle, time and instret: the agent reads the time
    csrw mcounteren, t0
    csrw scounteren, t0
    li t0, 1 << 63                  // menvcfg.STCE: S-mode has its own timer, stimecmp (Sstc)
    csrw 0x30a, t0
    lla t0, machine_trap
    csrw mtvec, t0
    li t0, mstatus_mpp
    csrc mstatus, t0
    li t0, mstatus_mpp_s
    csrs mstatus, t0
    lla t0, supervisor
    csrw mepc, t0
    mret

// In: S-mode as above.
    .balign 4
supervisor:
    csrw sie, zero
    csrw sscratch, zero
    lla tp, kerntoll_nano_boot_stack + KERNTOLL_ENTRY_STACK_SIZE
    mv sp, tp
    li ra, 0
    li s0, 0
    tail kerntoll_nano_main

// Nothing traps to M-mode. If something does, the machine must not hang: status 255.
// In: anything. Does not return.
    .balign 4
machine_trap:
    li t0, test_fail
    li t1, test_device
    sw t0, 0(t1)
    j machine_trap
    .size kerntoll_nano_start, . - kerntoll_nano_start

    .section .note.GNU-stack, "", %progbits
