// SPDX-License-Identifier: MIT
// An image whose linker script's labels enclose more than its sections hold, as a kernel's do.
        .section .text, "ax"
        .globl  _stext
_stext:
        .globl  body
        .type   body, @function
body:
        nop
        ret
        .size   body, . - body

        .section .rodata, "a"
        .globl  __start_rodata
__start_rodata:
        .long   1, 2, 3

        .section .rodata.more, "a"
        .long   4
        .globl  __end_rodata
__end_rodata:

        .section .filling, "ax"
        .zero   14
        .globl  _etext
_etext:

// Data that is run, as loongarch64's copy of its vectors is: last in the image, of many pages.
        .section .bss, "aw", @nobits
        .globl  exception_handlers
        .type   exception_handlers, @object
exception_handlers:
        .zero   65536
        .size   exception_handlers, . - exception_handlers
        .globl  other_data
        .type   other_data, @object
other_data:
        .zero   8
        .size   other_data, 8
