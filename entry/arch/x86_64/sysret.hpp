// SPDX-License-Identifier: MIT
// The flags that SYSCALL clears, and whether SYSRET may end a call: a pure function of what would
// be returned to, so that it can be tested, and fuzzed, where no machine could show the mistake.
#pragma once

#include <stdint.h>

#include "offsets.h"

namespace kerntoll::entry {

/// What SYSRET and IRET return to.
struct UserState {
    uintptr_t rip, rflags, rcx, r11, cs, ss;
};

/// Flags with which SYSRET does not do what IRET does: it drops RF and VM, and with TF it traps at
/// once, at the same instruction each time if the debugger's return comes this way again.
inline constexpr uintptr_t no_sysret_flags = 1U << 8U | 1U << 16U | 1U << 17U;

/// Flags that SYSCALL clears (FMASK): all that do not stand for a mode the processor is in. Carry,
/// parity, adjust, zero, sign, trap, interrupts, direction, overflow, IO privilege, nested task,
/// resume, alignment check, identification.
inline constexpr uintptr_t cleared_by_syscall = 0x257fd5;

/// SYSRET takes rip from rcx and the flags from r11 and always leaves the same cs and ss, so those
/// must agree. `limit` must be canonical and the first byte that no user program may execute: where
/// rip is not canonical, SYSRET faults on Intel's processors while the kernel has already given its
/// stack away (CVE-2012-0217).
[[gnu::always_inline]] constexpr bool sysret_is_safe(const UserState& user, uintptr_t limit) {
    // One question after the other: compilers make sums of answers out of one expression.
    if (user.rip >= limit) [[unlikely]] {
        return false;
    }
    if (user.rcx != user.rip || user.r11 != user.rflags) [[unlikely]] {
        return false;
    }
    if (user.cs != USER_CS || user.ss != USER_SS) [[unlikely]] {
        return false;
    }
    return (user.rflags & no_sysret_flags) == 0;
}

}  // namespace kerntoll::entry
