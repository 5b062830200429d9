// SPDX-License-Identifier: MIT
// From QEMU's start by PVH to kerntoll_nano_main in long mode. The image is linked in the window of
// the kernel's addresses, 1 GiB above where it is loaded.
#include "kerntoll/entry/stack.h"

    .equ window, 0x40000000
    .equ page, 4096
    .equ present_writable, 3
    .equ large, 0x80
    .equ cr0_bits, 0x80010023       // PG, WP, NE, MP, PE
    .equ cr4_bits, 0x660            // OSXMMEXCPT, OSFXSR, MCE, PAE
    .equ efer, 0xc0000080
    .equ efer_bits, 0x901           // NXE, LME, SCE

// Physical address of the entry, for the loader (Xen's public/elfnote.h: XEN_ELFNOTE_PHYS32_ENTRY).
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 4, 18
    .asciz "Xen"
    .long kerntoll_nano_start - window

    .section .text.boot, "ax"
    .code32
// In:  protected mode, paging off, interrupts off, flat segments; ebx = the loader's words (unused: a
//      known machine). Memory beyond the image's data reads as zero, as the loader left it.
// Out: long mode at kerntoll_nano_main with tables that map the first GiB twice, at 0 and at the
//      window; rsp = the Thread of the boot stack, rbp = 0. Clobbers eax, ecx, edx.
    .globl kerntoll_nano_start
    .type kerntoll_nano_start, @function
kerntoll_nano_start:
    movl $(boot_tables - window + page + present_writable), %eax
    movl %eax, boot_tables - window
    addl $page, %eax
    movl %eax, boot_tables - window + page
    movl %eax, boot_tables - window + page + 8
    xorl %ecx, %ecx
    movl $(present_writable + large), %eax
1:  movl %eax, boot_tables - window + 2 * page(, %ecx, 8)
    addl $0x200000, %eax
    incl %ecx
    cmpl $512, %ecx
    jne 1b
    movl $(boot_tables - window), %eax
    movl %eax, %cr3
    movl $cr4_bits, %eax
    movl %eax, %cr4
    movl $efer, %ecx
    movl $efer_bits, %eax
    xorl %edx, %edx
    wrmsr
    movl $cr0_bits, %eax
    movl %eax, %cr0
    lgdt boot_descriptors_pointer - window
    ljmp $8, $(1f - window)
    .code64
1:  movabsq $2f, %rax
    jmp *%rax
2:  xorl %eax, %eax
    movl %eax, %ss
    movl $(kerntoll_nano_boot_stack + KERNTOLL_ENTRY_STACK_SIZE), %esp
    xorl %ebp, %ebp
    call kerntoll_nano_main
    ud2
    .size kerntoll_nano_start, . - kerntoll_nano_start

    .balign 8
boot_descriptors:
    .quad 0, 0x00af9b000000ffff     // 64-bit code, until entry/arch/x86_64/tables.hpp has the real ones
boot_descriptors_pointer:
    .word . - boot_descriptors - 1
    .long boot_descriptors - window

    .section .bss.boot, "aw", @nobits
    .balign page
boot_tables:
    .skip 3 * page
    .section .note.GNU-stack, "", @progbits
