/* SPDX-License-Identifier: MIT
   Functions that are inlined into others, two deep, and labels in assembly. The tests know lines of
   this file by the comments at their ends. Built for several machines, see CMakeLists.txt. */
#define INLINED static inline __attribute__((always_inline))
#define OUT_OF_LINE __attribute__((noinline))

volatile unsigned long sink;

INLINED void innermost(unsigned long value) {
    sink = value;  /* innermost's line */
}

INLINED void middle(unsigned long value) {
    innermost(value);
    sink = value + 1;  /* middle's line */
}

OUT_OF_LINE unsigned long outer(unsigned long value) {
    sink = value * 3;  /* outer's line */
    {
        /* A block of its own in the debug information, since it has a variable. */
        const unsigned long read = sink;
        middle(read);
        sink = read;
    }
    return sink;
}

OUT_OF_LINE unsigned long plain(unsigned long value) {
    sink = value + 7;  /* plain's line */
    return sink;
}

void _start(void) {
    sink = outer(1) + plain(2);
}

/* A function with a label in it and 16 bytes behind it that are nobody's; labels without a size,
   data between them. */
__asm__(
    ".section .stubs, \"ax\"\n"
    ".globl sized\n"
    ".type sized, @function\n"
    "sized: .zero 8\n"
    "sized_inner: .zero 8\n"
    ".size sized, . - sized\n"
    ".zero 16\n"
    ".globl stub\n"
    "stub: .zero 16\n"
    "stub_middle: .zero 16\n"
    ".type table, @object\n"
    "table: .zero 16\n"
    ".globl stub_alias\n"
    "stub_end: stub_alias: .zero 16\n"
    ".data\n"
    "label_of_data: .zero 16\n");
