// SPDX-License-Identifier: MIT
// Powers the machine off instead of starting an agent.
#include "guest.h"

main:
    li t0, POWER
    li t1, POWER_OFF
    sw t1, 0(t0)
    j main
end:
