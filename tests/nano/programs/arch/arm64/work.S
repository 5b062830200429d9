// SPDX-License-Identifier: MIT
// long kerntoll_run_section(uint64_t* field, long signature)
// Enters a restartable sequence that never ends by itself. In: x0 = rseq_cs field of the area,
// x1 = which mark stands before the handler (the right one, or one more). Out: x0 = 1 if aborted.
    .text
    .globl kerntoll_run_section
    .type kerntoll_run_section, %function
kerntoll_run_section:
    adrp x2, right_section
    add x2, x2, #:lo12:right_section
    ldr w3, =0x53053053
    cmp x1, x3
    b.eq 1f
    adrp x2, wrong_section
    add x2, x2, #:lo12:wrong_section
1:  str x2, [x0]
begin:
    b begin
end:
    .word 0x53053053
right_abort:
    mov x0, #1
    ret
    .word 0x53053054
wrong_abort:
    mov x0, #2
    ret
    .size kerntoll_run_section, . - kerntoll_run_section

// long kerntoll_call_in_section(uint64_t* field, long number, long a, long b, long c)
// Makes a call in the middle of a restartable sequence. In: x0 = rseq_cs field of the area, x1 = number,
// x2 to x4 = arguments. Out: x0 = the answer, or 1 if aborted.
    .globl kerntoll_call_in_section
    .type kerntoll_call_in_section, %function
kerntoll_call_in_section:
    adrp x5, call_section
    add x5, x5, #:lo12:call_section
    str x5, [x0]
    mov x8, x1
    mov x0, x2
    mov x1, x3
    mov x2, x4
call_begin:
    svc #0
    nop
call_end:
    ret
    .size kerntoll_call_in_section, . - kerntoll_call_in_section

    .section .rodata, "a"
    .balign 32
right_section:
    .word 0, 0
    .quad begin, end - begin, right_abort
    .balign 32
wrong_section:
    .word 0, 0
    .quad begin, end - begin, wrong_abort
    .balign 32
call_section:
    .word 0, 0
    .quad call_begin, call_end - call_begin, right_abort
    .section .note.GNU-stack, "", %progbits
