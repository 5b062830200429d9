// SPDX-License-Identifier: MIT
// The least machine on which loongarch64 makes system calls: untranslated addresses, no console. QEMU
// 7.2 boots no Linux there. With WAITS_IN_CALL=N, call N waits for ever. LoongArch Reference Manual, volume 1: 7.4 (CSRs).
    .equ PRMD, 0x1
    .equ ERA, 0x6
    .equ EENTRY, 0xc
    .text

// Entry: at reset, privileged, translation off. All registers are free.
// Leaves: to `user`, at privilege level 3.
    .globl _start
_start:
    la.pcrel $t0, kernel
    csrwr $t0, EENTRY
    ori $t0, $zero, 3           // the level to return to
    csrwr $t0, PRMD
    la.pcrel $t0, user
    csrwr $t0, ERA
    la.pcrel $s0, number_of_calls
    ertn

// Entry: by `syscall`. s0 = where the calls are counted, t0 and t1 are free.
// Leaves: behind the `syscall`; t0 and t1 are lost.
    .balign 4096
    .globl kernel
    .type kernel, @function
kernel:
    csrrd $t0, ERA
    addi.d $t0, $t0, 4
    csrwr $t0, ERA
    ld.d $t1, $s0, 0
    addi.d $t1, $t1, 1
    st.d $t1, $s0, 0
#ifdef WAITS_IN_CALL
    ori $t0, $zero, WAITS_IN_CALL
    bne $t0, $t1, 1f
    idle 0                      // interrupts are off: for ever
1:
#endif
    ertn
    .size kernel, . - kernel

// Entry: by the first `ertn`. Leaves: never.
    .balign 4096
    .globl user
    .type user, @function
user:
    syscall 0
    addi.d $a0, $a0, 1
    b user
    .size user, . - user

    .data
    .balign 8
number_of_calls:
    .dword 0
