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

// long kerntoll_call_in_section(uint64_t* field, long number, long a, long b, long c)
// Makes a call in the middle of a restartable sequence. In: rdi = rseq_cs field of the area, rsi = number,
// rdx, rcx, r8 = arguments. Out: rax = the answer, or 1 if aborted.
    .globl kerntoll_call_in_section
    .type kerntoll_call_in_section, @function
kerntoll_call_in_section:
    leaq call_section(%rip), %rax
    movq %rax, (%rdi)
    movq %rsi, %rax
    movq %rdx, %rdi
    movq %rcx, %rsi
    movq %r8, %rdx
call_begin:
    syscall
    nop
call_end:
    ret
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
