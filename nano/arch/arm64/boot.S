// SPDX-License-Identifier: MIT
// From QEMU's start of an ELF file to kerntoll_nano_main.
#include "kerntoll/entry/stack.h"

    .equ floats_for_all, 3 << 20            // CPACR_EL1.FPEN
    .equ sign_with_key_a, 1 << 31           // SCTLR_EL1.EnIA
    .equ can_sign, 0xff << 4                // ID_AA64ISAR1_EL1.APA and API
    .equ has_random, 0xf << 60              // ID_AA64ISAR0_EL1.RNDR

    .section .text.boot, "ax"
// In:  EL1 with its own stack pointer selected, paging off, interrupts masked, registers 0 (the device
//      tree at the start of RAM is unused: a known machine). Memory beyond the image's data reads as
//      zero, as the loader left it.
// Out: kerntoll_nano_main, sp = TPIDR_EL1 = the Thread of the boot stack, x29 = x30 = 0; clobbers x0
//      to x3.
    .globl kerntoll_nano_start
    .type kerntoll_nano_start, %function
kerntoll_nano_start:
    mov x0, #floats_for_all
    msr cpacr_el1, x0
    adrp x0, kerntoll_nano_boot_stack + KERNTOLL_ENTRY_STACK_SIZE
    add x0, x0, #:lo12:kerntoll_nano_boot_stack + KERNTOLL_ENTRY_STACK_SIZE
    mov sp, x0
    msr tpidr_el1, x0
#ifdef __ARM_FEATURE_PAC_DEFAULT
    // The key has to be there before the first function that signs with it. Random bits where the
    // processor has some; or the time since reset, which is what there is. On a processor that cannot
    // sign, start_traps() says so.
    mrs x0, id_aa64isar1_el1
    tst x0, #can_sign
    b.eq 2f
    mrs x0, cntvct_el0
    mov x1, x0
    mrs x2, id_aa64isar0_el1
    tst x2, #has_random
    b.eq 1f
    mrs x0, s3_3_c2_c4_0                    // RNDR
    mrs x1, s3_3_c2_c4_0
1:  adrp x2, kerntoll_entry_key
    add x2, x2, #:lo12:kerntoll_entry_key
    stp x0, x1, [x2]
    msr s3_0_c2_c1_0, x0                    // APIAKeyLo_EL1
    msr s3_0_c2_c1_1, x1                    // APIAKeyHi_EL1
    mrs x0, sctlr_el1
    orr x0, x0, #sign_with_key_a
    msr sctlr_el1, x0
2:
#endif
    isb
    mov x29, xzr
    mov x30, xzr
    b kerntoll_nano_main
    .size kerntoll_nano_start, . - kerntoll_nano_start

#ifdef __ARM_FEATURE_PAC_DEFAULT
    .bss
    .balign 16
    .globl kerntoll_entry_key
kerntoll_entry_key:
    .skip 16
#endif
    .section .note.GNU-stack, "", %progbits
