// SPDX-License-Identifier: MIT
// Hangs without a word.
#include "guest.h"

main:
    wfi
    j main
end:
