// SPDX-License-Identifier: MIT
// long kerntoll_run_section(uint64_t* field, long signature)
// Enters a restartable sequence that never ends by itself. In: rdi = rseq_cs field of the area,
// rsi = which mark stands before the handler (the right one, or one more). Out: rax = 1 if aborted.
    .text
    .globl kerntoll_run_section
    .type kerntoll_run_section, @function
kerntoll_run_section:
    leaq right_section(%rip), %rax
    cmpq $0x53053053, %rsi
    je 1f
    leaq wrong_section(%rip), %rax
1:  movq %rax, (%rdi)
begin:
    jmp begin
end:
    .long 0x53053053
right_abort:
    movl $1, %eax
    ret
    .long 0x53053054
wrong_abort:
    movl $2, %eax
    ret
    .size kerntoll_run_section, . - kerntoll_run_section

    .section .rodata, "a"
    .balign 32
right_section:
    .long 0, 0
    .quad begin, end - begin, right_abort
    .balign 32
wrong_section:
    .long 0, 0
    .quad begin, end - begin, wrong_abort
    .section .note.GNU-stack, "", @progbits
