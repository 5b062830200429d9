// SPDX-License-Identifier: MIT
// The handler of a miss in the translation buffer. It runs with translation off and a way in and out
// of its own, in the middle of anything, so it uses nothing but what the machine keeps for it.

    .equ csr_page_directory, 0x1b   // PGD: of the address that missed
    .equ csr_refill_address, 0x89   // TLBRBADV
    .equ csr_refill_save, 0x8b      // TLBRSAVE
    .equ user_limit_shift, 30       // what the directory reaches
    .equ empty_table, 0x3fc         // machine.hpp, in pages of 4 KiB

    .section .text.refill, "ax"
// In:  the address that missed in TLBRBADV; all registers are somebody's.
// Out: the pair of pages around it is in the buffer, or a pair that is not valid, so that the access
//      faults. Clobbers TLBRSAVE.
    .globl kerntoll_nano_refill
    .type kerntoll_nano_refill, %function
    .balign 4096
kerntoll_nano_refill:
    csrwr $t0, csr_refill_save
    csrrd $t0, csr_refill_address
    srli.d $t0, $t0, user_limit_shift
    bnez $t0, 2f                    // the walk would look at the lower bits alone
    csrrd $t0, csr_page_directory
    lddir $t0, $t0, 1
1:  ldpte $t0, 0
    ldpte $t0, 1
    tlbfill
    csrrd $t0, csr_refill_save
    ertn
2:  lu12i.w $t0, empty_table
    b 1b
    .size kerntoll_nano_refill, . - kerntoll_nano_refill
    .section .note.GNU-stack, "", %progbits
