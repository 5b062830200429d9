# SPDX-License-Identifier: MIT
# Debug information that is right and that clang would not write, for x86_64:
#   - functions in another order than their addresses, one of them in a namespace (Rust);
#   - a frame whose list of ranges ends before it has begun, around one that is sound (gcc 12);
#   - line 0, for code that comes from no line;
#   - a file that is far from the compilation directory.
    .file 1 "/kernel/build/near.c"
    .file 2 "/include/far.h"

    .text
    .globl first, second
first:
    .loc 1 10
    nop; nop; nop; nop
    .loc 1 0
    nop; nop; nop; nop
first_end:
second:
    .loc 1 20
    nop; nop; nop; nop
    .loc 2 30
    nop; nop; nop; nop
second_end:

    .section .debug_abbrev, "", @progbits
    .uleb128 1, 0x11            # a unit, with entries below it
    .byte 1
    .uleb128 0x1b, 0x08         #   compilation directory: string
    .uleb128 0x10, 0x17         #   lines: offset
    .uleb128 0x11, 0x01         #   from: address
    .uleb128 0x12, 0x07         #   length: 8 bytes
    .uleb128 0, 0
    .uleb128 2, 0x2e            # a function, with entries below it
    .byte 1
    .uleb128 0x11, 0x01
    .uleb128 0x12, 0x07
    .uleb128 0, 0
    .uleb128 3, 0x2e            # a function that was inlined
    .byte 0
    .uleb128 0x03, 0x08         #   name: string
    .uleb128 0, 0
    .uleb128 4, 0x1d            # where it was inlined, with entries below it
    .byte 1
    .uleb128 0x31, 0x13         #   which: reference
    .uleb128 0x55, 0x17         #   ranges: offset
    .uleb128 0, 0
    .uleb128 5, 0x1d            # the same without entries below it
    .byte 0
    .uleb128 0x31, 0x13
    .uleb128 0x11, 0x01
    .uleb128 0x12, 0x07
    .uleb128 0, 0
    .uleb128 6, 0x39            # a namespace
    .byte 1
    .uleb128 0, 0
    .byte 0

    .section .debug_ranges, "", @progbits
    .quad 0, 0                  # the end
    .section .debug_line, "", @progbits
lines:

    .section .debug_info, "", @progbits
unit:
    .long unit_end - unit - 4
    .short 4                    # the version of DWARF
    .long .debug_abbrev
    .byte 8                     # bytes of an address
    .uleb128 1
    .asciz "/kernel/build"
    .long lines
    .quad first
    .quad second_end - first
outer:
    .uleb128 3
    .asciz "outer"
inner:
    .uleb128 3
    .asciz "inner"
    .uleb128 6
    .uleb128 2                  # second
    .quad second
    .quad second_end - second
    .uleb128 4                  # outer in it, in no place
    .long outer - unit
    .long .debug_ranges
    .uleb128 5                  # inner in that, in its first half
    .long inner - unit
    .quad second
    .quad 4
    .byte 0                     # below outer
    .byte 0                     # below second
    .byte 0                     # in the namespace
    .uleb128 2                  # first
    .quad first
    .quad first_end - first
    .uleb128 5                  # inner in it, in its first half
    .long inner - unit
    .quad first
    .quad 4
    .byte 0                     # below first
    .byte 0                     # in the unit
unit_end:
