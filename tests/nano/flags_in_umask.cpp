// SPDX-License-Identifier: MIT
// Takes the place of nano/calls/umask.cpp: answers with those flags of x86_64's that harm a kernel
// and that it, or the handler of faults, was run with.
#include "nano/calls/calls.hpp"

namespace kerntoll::nano {

unsigned long flags_seen = 0;

/// Trap, direction, IO privilege, nested task, alignment check, identification.
void note_flags() {
    constexpr unsigned long harmful = 0x247500;
    unsigned long flags;
    asm volatile("pushfq\n\tpopq %0" : "=r"(flags));
    flags_seen |= flags & harmful;
}

long calls::umask(entry::Frame& /*frame*/) {
    note_flags();
    return static_cast<long>(flags_seen);
}

}  // namespace kerntoll::nano
