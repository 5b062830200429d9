// SPDX-License-Identifier: MIT
// From QEMU's start of the ELF file to kerntoll_nano_main.
#include "kerntoll/entry/stack.h"
#include "offsets.h"

    .section .text.boot, "ax"
// In:  64-bit mode, supervisor state, translation and interrupts off, key 0. Memory beyond the
//      image's data reads as zero, as the loader left it.
// Out: r15 = below the Thread of the boot stack, with room for a frame and a zero back chain.
    .globl kerntoll_nano_start
    .type kerntoll_nano_start, %function
kerntoll_nano_start:
    larl %r15, kerntoll_nano_boot_stack + KERNTOLL_ENTRY_STACK_SIZE
    aghi %r15, -ABI_AREA
    xc 0(8, %r15), 0(%r15)
    brasl %r14, kerntoll_nano_main
    j .+2                           // it does not return: this is an invalid instruction
    .size kerntoll_nano_start, . - kerntoll_nano_start
    .section .note.GNU-stack, "", %progbits
