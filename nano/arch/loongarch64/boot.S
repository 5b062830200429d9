// SPDX-License-Identifier: MIT
// From QEMU's start of the ELF file to kerntoll_nano_main.
#include "kerntoll/entry/stack.h"
#include "offsets.h"

    .equ csr_window_0, 0x180
    .equ csr_window_1, 0x181
    .equ mode_mapped, 0xb0          // CRMD: level 0, interrupts off, translation on, caches on
    .equ stack_size, KERNTOLL_ENTRY_STACK_SIZE

    .section .text.boot, "ax"
// In:  level 0, interrupts and translation off, at the physical address. Memory beyond the image's
//      data reads as zero, as the loader left it.
// Out: at the window's address; sp = the Thread of the boot stack, ra = fp = 0. Clobbers t0.
    .globl kerntoll_nano_start
    .type kerntoll_nano_start, %function
kerntoll_nano_start:
    // Each window is the upper four bits of an address, for level 0 alone (bit 0): 8 for devices,
    // 9 cached (bit 4) for memory. A user's address there is an error.
    lu52i.d $t0, $zero, -0x800
    ori $t0, $t0, 0x1
    csrwr $t0, csr_window_0
    lu52i.d $t0, $zero, -0x700
    ori $t0, $t0, 0x11
    csrwr $t0, csr_window_1
    ori $t0, $zero, mode_mapped
    csrwr $t0, CSR_CRMD
    la.abs $t0, 1f
    jr $t0
1:  la.pcrel $sp, kerntoll_nano_boot_stack
    lu12i.w $t0, stack_size >> 12
    add.d $sp, $sp, $t0
    move $ra, $zero
    move $fp, $zero
    b kerntoll_nano_main
    .size kerntoll_nano_start, . - kerntoll_nano_start
    .section .note.GNU-stack, "", %progbits
