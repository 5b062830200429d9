// SPDX-License-Identifier: MIT
// The first instructions of nano/arch/arm64/boot.S where the machine starts in EL2: go on in EL1, and
// make an SError pending for it whenever EL2 is called.
    .equ kernel_is_64_bit, 1 << 31          // HCR_EL2.RW
    .equ serrors_are_virtual, 1 << 5        // AMO, without which there is no virtual one
    .equ serror_is_pending, 1 << 8          // VSE
    .equ el1_masked, 0x3c5                  // SPSR_EL2: EL1 on its own stack pointer

    adr x0, vectors
    msr vbar_el2, x0
    mov x0, #kernel_is_64_bit
    orr x0, x0, #serrors_are_virtual
    msr hcr_el2, x0
    mov x0, #3                              // CNTHCTL_EL2: EL1 has the counter and the timer
    msr cnthctl_el2, x0
    msr cntvoff_el2, xzr
    mov x0, #0x33ff                         // CPTR_EL2: floating point traps nowhere
    msr cptr_el2, x0
    mov x0, #el1_masked
    msr spsr_el2, x0
    adr x0, start_in_el1
    msr elr_el2, x0
    eret

    .balign 2048
vectors:
    .skip 0x400                             // from EL1, synchronous: the call
    mrs x16, hcr_el2
    orr x16, x16, #serror_is_pending
    msr hcr_el2, x16
    eret
    .skip 0x400 - 16
start_in_el1:
