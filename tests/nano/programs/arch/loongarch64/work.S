// SPDX-License-Identifier: MIT
// long kerntoll_run_section(uint64_t* field, long signature)
// Enters a restartable sequence that never ends by itself. In: a0 = rseq_cs field of the area,
// a1 = which mark stands before the handler (the right one, or one more). Out: a0 = 1 if aborted.
    .text
    .globl kerntoll_run_section
    .type kerntoll_run_section, @function
kerntoll_run_section:
    li.w $t0, 0x53053053
    la.pcrel $t1, right_section
    beq $a1, $t0, 1f
    la.pcrel $t1, wrong_section
1:  st.d $t1, $a0, 0
begin:
    b begin
end:
    .word 0x53053053
right_abort:
    li.w $a0, 1
    ret
    .word 0x53053054
wrong_abort:
    li.w $a0, 2
    ret
    .size kerntoll_run_section, . - kerntoll_run_section

// long kerntoll_call_in_section(uint64_t* field, long number, long a, long b, long c)
// Makes a call in the middle of a restartable sequence. In: a0 = rseq_cs field of the area, a1 = number,
// a2 to a4 = arguments. Out: a0 = the answer, or 1 if aborted.
    .globl kerntoll_call_in_section
    .type kerntoll_call_in_section, @function
kerntoll_call_in_section:
    la.pcrel $t1, call_section
    st.d $t1, $a0, 0
    move $a7, $a1
    move $a0, $a2
    move $a1, $a3
    move $a2, $a4
call_begin:
    syscall 0
    nop
call_end:
    ret
    .size kerntoll_call_in_section, . - kerntoll_call_in_section

    .section .rodata, "a"
    .balign 32
right_section:
    .word 0, 0
    .dword begin, end - begin, right_abort
    .balign 32
wrong_section:
    .word 0, 0
    .dword begin, end - begin, wrong_abort
    .balign 32
call_section:
    .word 0, 0
    .dword call_begin, call_end - call_begin, right_abort
    .section .note.GNU-stack, "", @progbits
