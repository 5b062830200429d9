/* SPDX-License-Identifier: MIT */
/* The ways in and the ways back. frame.hpp says how the machine enters and leaves. */
#include "kerntoll/entry/fast.h"
#include "offsets.h"

/* Only the bit that is always set: interrupts, direction, alignment checks (SMAP's override), single
   step and IO privilege are off. */
#define KERNEL_FLAGS 0x2

#if KERNTOLL_branch_protection_on == 1
#define LANDING_PAD endbr64
#else
#define LANDING_PAD
#endif

/* What C may clobber but for rax, which is the result, and rcx and r11, which SYSCALL takes. */
.macro save_clobbered
    movq %r10, FRAME_R10(%rsp)
    movq %r9, FRAME_R9(%rsp)
    movq %r8, FRAME_R8(%rsp)
    movq %rdx, FRAME_RDX(%rsp)
    movq %rsi, FRAME_RSI(%rsp)
    movq %rdi, FRAME_RDI(%rsp)
.endm
.macro load_clobbered
    movq FRAME_R10(%rsp), %r10
    movq FRAME_R9(%rsp), %r9
    movq FRAME_R8(%rsp), %r8
    movq FRAME_RAX(%rsp), %rax
    movq FRAME_RDX(%rsp), %rdx
    movq FRAME_RSI(%rsp), %rsi
    movq FRAME_RDI(%rsp), %rdi
.endm
/* What C keeps. */
.macro save_kept
    movq %r15, FRAME_R15(%rsp)
    movq %r14, FRAME_R14(%rsp)
    movq %r13, FRAME_R13(%rsp)
    movq %r12, FRAME_R12(%rsp)
    movq %rbp, FRAME_RBP(%rsp)
    movq %rbx, FRAME_RBX(%rsp)
.endm
.macro load_kept
    movq FRAME_R15(%rsp), %r15
    movq FRAME_R14(%rsp), %r14
    movq FRAME_R13(%rsp), %r13
    movq FRAME_R12(%rsp), %r12
    movq FRAME_RBP(%rsp), %rbp
    movq FRAME_RBX(%rsp), %rbx
.endm
.macro load_all
    load_kept
    movq FRAME_R11(%rsp), %r11
    movq FRAME_RCX(%rsp), %rcx
    load_clobbered
.endm
/* For a frame of which the processor and the vector have pushed cause and everything above it. */
.macro save_all
    subq $FRAME_CAUSE, %rsp
    save_kept
    movq %r11, FRAME_R11(%rsp)
    movq %rax, FRAME_RAX(%rsp)
    movq %rcx, FRAME_RCX(%rsp)
    save_clobbered
.endm
/* Nothing of the user's is left that a mispredicted branch could use. rdi and rsp are the kernel's. */
.macro clear_all
    .irp name, eax, ebx, ebp, ecx, edx, esi, r8d, r9d, r10d, r11d, r12d, r13d, r14d, r15d
    xorl %\name, %\name
    .endr
.endm

    .section .text.kerntoll_entry_stub, "ax", @progbits

/* What the embedder sets up, in long mode and before the first trap: Tables::install() of tables.hpp,
   which does all of this for a processor, with its first Thread:
     IDT         a gate for each of VECTORS, to its place in kerntoll_entry_vectors; interrupt gates of
                 KERNEL_CS, 3 alone open to users; 1, 2, 8 and 18 on stacks of their own (IST)
     GDT, TSS    descriptors at the selectors of offsets.h; RSP0 = the running Thread
     STAR, LSTAR, CSTAR, FMASK, EFER.SCE   LSTAR = kerntoll_entry_syscall; FMASK clears all flags that
                 are not a mode of the processor's
     GS_BASE     the running Thread, while the kernel runs; KERNEL_GS_BASE the user's
     THREAD_SCRATCH of the running Thread: the address of its frame, FRAME_SIZE below it
   and what is left to the embedder:
     CR4         FSGSBASE off: gs is nobody's to change but SWAPGS's; SMEP and SMAP on where there are
                 any; with branch_protection=on CET, and ENDBR_EN in IA32_S_CET
     DR7         0: no breakpoint of a user's, be it a debugger's. One on what a call reads, or behind
                 `mov ss` (CVE-2018-8897), is a #DB in the kernel, which is its end
     rsp         the stack below the running Thread
     rflags      IF off, until interrupts may come
   On each switch of tasks, with interrupts off: Tables::use().
   In a frame of the embedder's making: rip; rsp; cs = USER_CS, ss = USER_SS; rflags with IF and no IO
   privilege.
   What is the user's elsewhere (fs, KERNEL_GS_BASE, floating point) and page tables are the embedder's.

   kerntoll_entry_syscall: where LSTAR points.
   In:  rcx = the user's rip, r11 = its flags, rax = the number; all other registers are what they
        were, rsp too; gs is the user's, KERNEL_GS_BASE the Thread, whose scratch word is the address
        of the frame below it; FMASK was applied.
   Out: of kerntoll_entry_call: rdi = rsp = frame, gs = Thread, all other registers 0; it answers in
        al whether SYSRET may be used. With frame=lazy of kerntoll_entry_call_fast: rdi = rsp = frame, gs
        = Thread, all other registers what they were; it answers in eax a FastEnd. */
    .globl kerntoll_entry_syscall
    .type kerntoll_entry_syscall, @function
    .balign 64
kerntoll_entry_syscall:
    LANDING_PAD
    swapgs
    movq %rsp, %gs:(FRAME_RSP - FRAME_SIZE)
    movq %gs:THREAD_SCRATCH, %rsp
    movq %r11, FRAME_RFLAGS(%rsp)
    movq %rcx, FRAME_RIP(%rsp)
    movq %rax, FRAME_ERROR(%rsp)
    save_clobbered
#if KERNTOLL_frame_lazy == 1
    movq %rsp, %rdi
    call kerntoll_entry_call_fast
    testl %eax, %eax
    jnz call_is_slow
    movq FRAME_RFLAGS(%rsp), %r11
    movq FRAME_RIP(%rsp), %rcx
    load_clobbered
    movq FRAME_RSP(%rsp), %rsp
    swapgs
    sysretq
    int3                            /* stops what runs past it speculatively */

/* In:  eax = FastEnd::enter, exit or iret, in that order; kept registers are the user's; rsp = frame.
   Out: of kerntoll_entry_call_enter and _exit: rdi = rsp = frame, kept registers the user's; they answer
        in al whether SYSRET may be used. Of kerntoll_entry_return_to_user: rsp = a complete frame. */
call_is_slow:
    movq FRAME_RFLAGS(%rsp), %r11
    movq FRAME_RIP(%rsp), %rcx
    movq %r11, FRAME_R11(%rsp)
    movq %rcx, FRAME_RCX(%rsp)
    movq $USER_CS, FRAME_CS(%rsp)
    movq $USER_SS, FRAME_SS(%rsp)
    save_kept
    movq %rsp, %rdi
    cmpl $KERNTOLL_ENTRY_FAST_EXIT, %eax
    ja kerntoll_entry_return_to_user        /* FAST_IRET */
    je 1f
    call kerntoll_entry_call_enter
    jmp call_is_done
1:  call kerntoll_entry_call_exit
#else
    movq %r11, FRAME_R11(%rsp)
    movq %rcx, FRAME_RCX(%rsp)
    movq $USER_CS, FRAME_CS(%rsp)
    movq $USER_SS, FRAME_SS(%rsp)
    save_kept
    movq %rsp, %rdi
    clear_all
    call kerntoll_entry_call
#endif
/* In:  al = whether the frame, which is complete, may be left by SYSRET; rsp = frame; interrupts are
        off and no work is left. */
call_is_done:
    testb %al, %al
    jz kerntoll_entry_return_to_user
    load_all
    movq FRAME_RSP(%rsp), %rsp
    swapgs
    sysretq
    int3

/* kerntoll_entry_begin_user: the first way of a task to user mode.
   In:  as kerntoll_entry_return_to_user, but work may be left.
   Out: of KERNTOLL_ENTRY_BEFORE_USER: rdi = rsp = frame. */
    .globl kerntoll_entry_begin_user
    .type kerntoll_entry_begin_user, @function
kerntoll_entry_begin_user:
    movq %rsp, %rdi
    call KERNTOLL_ENTRY_BEFORE_USER
    jmp kerntoll_entry_return_to_user

/* kerntoll_entry_return_to_user: the way to user mode that can restore any state of a user's.
   In:  rsp = a complete frame directly below the Thread; gs = Thread; interrupts are off and no work
        is left.
   Out: does not come back. */
    .globl kerntoll_entry_return_to_user
    .type kerntoll_entry_return_to_user, @function
kerntoll_entry_return_to_user:
    load_all
    addq $FRAME_RIP, %rsp
    swapgs
return_by_iret:
    iretq
    int3

/* In:  cause, error and what the processor pushes lie at rsp; all other registers are what they were.
   Out: of kerntoll_entry_from_user: rdi = rsp = frame, rsi = vector, gs = Thread, all other
        registers 0. Of kerntoll_entry_from_kernel: the same, but for registers that C may clobber,
        which are what they were. */
trap:
    pushq $KERNEL_FLAGS
    popfq
    testb $3, (FRAME_CS - FRAME_CAUSE)(%rsp)
    jz trap_from_kernel
    swapgs
    lfence                          /* or the branch could be mispredicted past the exchange */
trap_from_user:
    save_all
    movq %rsp, %rdi
    clear_all
    movl FRAME_CAUSE(%rsp), %esi
    call kerntoll_entry_from_user
    jmp kerntoll_entry_return_to_user

/* In:  as trap; the kernel was interrupted, or IRET failed on the way to a user.
   Out: of kerntoll_entry_from_kernel: as trap says. */
trap_from_kernel:
    cmpq $return_by_iret, (FRAME_RIP - FRAME_CAUSE)(%rsp)
    je return_failed
    lfence                          /* nor past the missing one, where gs is the user's */
    /* A stack that overflows would be run over, and then whatever lies below it. What is measured is
       the way down from the Thread: whoever runs at its top is below the frame of no user. */
    pushq %rax
    movq %gs:THREAD_SCRATCH, %rax
    addq $FRAME_SIZE, %rax          /* the Thread */
    subq %rsp, %rax
    shrq $KERNTOLL_ENTRY_STACK_SHIFT, %rax
    popq %rax
    jnz stack_overflows
    save_all
    movq %rsp, %rdi
    movl FRAME_CAUSE(%rsp), %esi
    /* The processor aligned the stack before it pushed, so the frame is aligned. */
    call kerntoll_entry_from_kernel
    load_all
    addq $FRAME_RIP, %rsp
    iretq
    int3

/* IRET could not return to what the user's frame says. Its five words are still in place; cause and
   error of the fault, which the processor pushed below them, become theirs.
   In:  cause, error and the rest of the fault lie at rsp, which is in the frame; gs is the user's, and
        so are all other registers. */
return_failed:
    swapgs
    lfence
    popq %gs:(FRAME_CAUSE - FRAME_SIZE)
    popq %gs:(FRAME_ERROR - FRAME_SIZE)
    movq %gs:THREAD_SCRATCH, %rsp
    leaq FRAME_CAUSE(%rsp), %rsp
    jmp trap_from_user

/* In:  cause, error and what the processor pushes lie at rsp; gs = Thread.
   Out: of kerntoll_entry_stack_overflow, which does not return: rdi = rip, rsi = rsp, both of the
        trap; rsp = the top of the stack, over whatever was there. */
stack_overflows:
    movq (FRAME_RIP - FRAME_CAUSE)(%rsp), %rdi
    movq (FRAME_RSP - FRAME_CAUSE)(%rsp), %rsi
    movq %gs:THREAD_SCRATCH, %rsp
    call kerntoll_entry_stack_overflow
    ud2

/* What no flag keeps out and no task asked for: an NMI, which stays on its own stack (IST) and goes back to
   whatever it interrupted, be it the instruction before a SWAPGS. So it asks nobody whose gs it is, and
   sets it instead. IRET, which lets the next NMI in, is the last thing done with this stack; an exception
   on the way would be left by an IRET as well, and must not be.
   In:  cause, error and what the processor pushes lie at rsp, the end of the NMI's stack, above which
        lies the address of the Thread; gs is anybody's.
   Out: of kerntoll_entry_from_kernel: rdi = rsp = frame, rsi = vector, gs = Thread; of all other
        registers only rax, rcx, rdx, rbx and rbp are not 0. */
non_maskable:
    pushq $KERNEL_FLAGS
    popfq
    save_all
    movq %rsp, %rdi
    clear_all
    movl $MSR_GS_BASE, %ecx
    rdmsr
    movl %eax, %ebx
    movl %edx, %ebp
    movl FRAME_SIZE(%rsp), %eax
    movl (FRAME_SIZE + 4)(%rsp), %edx
    wrmsr
    movl $VECTOR_NMI, %esi
    call kerntoll_entry_from_kernel
    movl $MSR_GS_BASE, %ecx
    movl %ebx, %eax
    movl %ebp, %edx
    wrmsr
    load_all
    addq $FRAME_RIP, %rsp
    iretq
    int3

/* What else comes on a stack of its own (IST).
   In:  cause, error and what the processor pushes lie at rsp, the end of that stack; gs is the user's
        if cs is, and anybody's otherwise.
   Out: of kerntoll_entry_from_kernel, which must not return: rdi = rsp = frame, rsi = vector; gs is
        anybody's. */
trap_on_own_stack:
    pushq $KERNEL_FLAGS
    popfq
    testb $3, (FRAME_CS - FRAME_CAUSE)(%rsp)
    jz 1f
    swapgs
    lfence
    .irp word, FRAME_CAUSE, FRAME_ERROR, FRAME_RIP, FRAME_CS, FRAME_RFLAGS, FRAME_RSP, FRAME_SS
    popq %gs:(\word - FRAME_SIZE)
    .endr
    movq %gs:THREAD_SCRATCH, %rsp
    leaq FRAME_CAUSE(%rsp), %rsp
    jmp trap_from_user
1:  lfence
    save_all
    movq %rsp, %rdi
    movl FRAME_CAUSE(%rsp), %esi
    call kerntoll_entry_from_kernel
    ud2

/* kerntoll_entry_vectors: VECTORS places of VECTOR_SIZE bytes, for the gates of the IDT.
   In:  what the processor pushed lies at rsp; everything else is what it was.
   Out: of trap, non_maskable and trap_on_own_stack: cause and error lie below it. */
    .globl kerntoll_entry_vectors
    .type kerntoll_entry_vectors, @function
    .balign 64
kerntoll_entry_vectors:
    .set vector, 0
    .rept VECTORS
    .balign VECTOR_SIZE
    LANDING_PAD
    /* Double fault; invalid TSS, segment, stack, protection, page; alignment; control protection,
       VMM communication and security have error codes. */
    .if (0x60227d00 >> vector) & 1 == 0 || vector >= VECTOR_EXCEPTIONS
    pushq $0
    .endif
    pushq $vector
    .if vector == VECTOR_NMI
    jmp non_maskable
    .elseif vector == VECTOR_DEBUG || vector == VECTOR_DOUBLE_FAULT || vector == VECTOR_MACHINE_CHECK
    jmp trap_on_own_stack
    .else
    jmp trap
    .endif
    .set vector, vector + 1
    .endr
    .org kerntoll_entry_vectors + VECTORS * VECTOR_SIZE     /* an error where one was too long */

    .section .note.GNU-stack, "", @progbits
