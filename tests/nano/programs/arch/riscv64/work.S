// SPDX-License-Identifier: MIT
// long kerntoll_run_section(uint64_t* field, long signature)
// Enters a restartable sequence that never ends by itself. In: a0 = rseq_cs field of the area,
// a1 = which mark stands before the handler (the right one, or one more). Out: a0 = 1 if aborted.
    .text
    .globl kerntoll_run_section
    .type kerntoll_run_section, %function
kerntoll_run_section:
    li t0, 0x53053053
    lla t1, right_section
    beq a1, t0, 1f
    lla t1, wrong_section
1:  sd t1, 0(a0)
begin:
    j begin
end:
    .word 0x53053053
right_abort:
    li a0, 1
    ret
    .word 0x53053054
wrong_abort:
    li a0, 2
    ret
    .size kerntoll_run_section, . - kerntoll_run_section

// long kerntoll_call_in_section(uint64_t* field, long number, long a, long b, long c)
// Makes a call in the middle of a restartable sequence. In: a0 = rseq_cs field of the area, a1 = number,
// a2 to a4 = arguments. Out: a0 = the answer, or 1 if aborted.
    .globl kerntoll_call_in_section
    .type kerntoll_call_in_section, %function
kerntoll_call_in_section:
    lla t1, call_section
    sd t1, 0(a0)
    mv a7, a1
    mv a0, a2
    mv a1, a3
    mv a2, a4
call_begin:
    ecall
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
