// SPDX-License-Identifier: MIT
// Reboots in a loop.
#include "guest.h"

main:
    la a0, text
    call print
    li t0, POWER
    li t1, RESET
    sw t1, 0(t0)
    j main
text:
    .asciz "going round again\n"
end:
