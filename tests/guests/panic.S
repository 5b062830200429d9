// SPDX-License-Identifier: MIT
// Panics as Linux does and then stands still, as it does without panic=-1.
#include "guest.h"

main:
    la a0, text
    call print
1:  wfi
    j 1b
text:
    .ascii "[    0.31] VFS: no \x1b[31mroot\x1b[0m found\r\n"
    .asciz "[    0.32] Kernel panic - not syncing: no working init found\r\n"
end:
