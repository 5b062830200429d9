// SPDX-License-Identifier: MIT
// Prints garbage forever: every byte there is, again and again, markers of the protocol included.
#include "guest.h"

main:
    li t0, UART
    li t2, 0
1:  sb t2, 0(t0)
    addi t2, t2, 1
    andi t3, t2, 0xff
    bnez t3, 1b
    la a0, almost
    call print
    j main
almost:
    .asciz "@K< 00000001 ok n=1 00000000\n@K<"
end:
