// SPDX-License-Identifier: MIT
// long kerntoll_run_section(uint64_t* field, long signature)
// Enters a restartable sequence that never ends by itself. In: r2 = rseq_cs field of the area,
// r3 = which mark stands before the handler (the right one, or one more). Out: r2 = 1 if aborted.
    .text
    .globl kerntoll_run_section
    .type kerntoll_run_section, @function
kerntoll_run_section:
    llilf %r1, 0x53053053
    larl %r4, right_section
    cgrje %r3, %r1, 1f
    larl %r4, wrong_section
1:  stg %r4, 0(%r2)
begin:
    j begin
end:
    .balign 4
    .long 0x53053053
right_abort:
    lghi %r2, 1
    br %r14
    .balign 4
    .long 0x53053054
wrong_abort:
    lghi %r2, 2
    br %r14
    .size kerntoll_run_section, . - kerntoll_run_section

// long kerntoll_call_in_section(uint64_t* field, long number, long a, long b, long c)
// Makes a call in the middle of a restartable sequence. In: r2 = rseq_cs field of the area, r3 = number,
// r4 to r6 = arguments. Out: r2 = the answer, or 1 if aborted.
    .globl kerntoll_call_in_section
    .type kerntoll_call_in_section, @function
kerntoll_call_in_section:
    larl %r1, call_section
    stg %r1, 0(%r2)
    lgr %r1, %r3
    lgr %r2, %r4
    lgr %r3, %r5
    lgr %r4, %r6
call_begin:
    svc 0
    nopr %r0
call_end:
    br %r14
    .size kerntoll_call_in_section, . - kerntoll_call_in_section

    .section .rodata, "a"
    .balign 32
right_section:
    .long 0, 0
    .quad begin, end - begin, right_abort
    .balign 32
wrong_section:
    .long 0, 0
    .quad begin, end - begin, wrong_abort
    .balign 32
call_section:
    .long 0, 0
    .quad call_begin, call_end - call_begin, right_abort
    .section .note.GNU-stack, "", @progbits
