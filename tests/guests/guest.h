// SPDX-License-Identifier: MIT
// What the broken guests share: the header of a riscv64 Image (Documentation/arch/riscv/
// boot-image-header.rst), which QEMU's firmware enters in supervisor mode, and the devices of QEMU's
// `virt` machine.

#define UART 0x10000000   // 16550: a byte stored here is printed
#define LINE_STATUS 5
#define READY 0x20        // its holding register is empty
#define POWER 0x100000    // "test finisher"
#define POWER_OFF 0x5555
#define RESET 0x7777

    .globl _start
_start:
    .option push
    .option norvc
    j main
    nop
    .option pop
    .dword 0x200000       // where to load it, from the start of memory
    .dword end - _start   // its size
    .dword 0              // flags: little-endian
    .word 2               // version of this header
    .word 0
    .dword 0
    .ascii "RISCV\0\0\0"
    .ascii "RSC\x05"
    .word 0

// Prints the text at a0 up to its zero byte.
print:
    li t0, UART
1:  lbu t1, 0(a0)
    beqz t1, 2f
3:  lbu t2, LINE_STATUS(t0)
    andi t2, t2, READY
    beqz t2, 3b           // a byte that the line has no room for yet would be lost
    sb t1, 0(t0)
    addi a0, a0, 1
    j 1b
2:  ret
