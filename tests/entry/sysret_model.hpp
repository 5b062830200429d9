// SPDX-License-Identifier: MIT
// SYSRET and IRET as the manuals describe them, slowly, to hold sysret_is_safe() against.
#pragma once

#include <cstdint>
#include <optional>

#include "sysret.hpp"

namespace kerntoll::entry_test {

/// What a user program sees when the kernel has returned.
struct Seen {
    uint64_t rip, rflags, cs, ss;
    bool traps_before_first_instruction;
    friend bool operator==(const Seen&, const Seen&) = default;
};

inline bool is_canonical(uint64_t address) {
    const uint64_t upper = address >> 47U;
    return upper == 0 || upper == 0x1ffff;
}

/// SYSRET with a 64-bit operand (Intel SDM volume 2, "SYSRET"), the selectors being those that STAR
/// gives. Nothing where it faults, which it does with the kernel's rights.
inline std::optional<Seen> sysret(const entry::UserState& state) {
    if (!is_canonical(state.rcx)) {
        return std::nullopt;
    }
    constexpr uint64_t restored = 0x3c7fd7;
    constexpr uint64_t always = 2;
    const uint64_t rflags = (state.r11 & restored) | always;
    constexpr uint64_t trap_flag = 0x100;
    return Seen{.rip = state.rcx,
                .rflags = rflags,
                .cs = USER_CS,
                .ss = USER_SS,
                .traps_before_first_instruction = (rflags & trap_flag) != 0};
}

/// IRET ("IRET/IRETD/IRETQ"): restores all flags that exist, and traps behind the first
/// instruction.
inline std::optional<Seen> iret(const entry::UserState& state) {
    if (!is_canonical(state.rip)) {
        return std::nullopt;
    }
    constexpr uint64_t existing = 0x3f7fd7;  // RF and VM too
    constexpr uint64_t always = 2;
    return Seen{.rip = state.rip,
                .rflags = (state.rflags & existing) | always,
                .cs = state.cs,
                .ss = state.ss,
                .traps_before_first_instruction = false};
}

/// Why the decision about a state is wrong, or nothing: where it says yes, SYSRET must not fault,
/// must stay below the limit and do exactly what IRET does; for what SYSCALL left it must say yes,
/// or the fast way is lost.
inline const char* mistake(const entry::UserState& state, uint64_t limit) {
    constexpr uint64_t single_step = 0x100;
    constexpr uint64_t dropped = 0x30000;
    const bool as_syscall_left_it =
        state.rcx == state.rip && state.r11 == state.rflags && state.cs == USER_CS &&
        state.ss == USER_SS && (state.rflags & (single_step | dropped)) == 0 && state.rip < limit;
    if (!entry::sysret_is_safe(state, limit)) {
        return as_syscall_left_it ? "SYSRET would do for this state" : nullptr;
    }
    if (state.rip >= limit) {
        return "SYSRET goes beyond the user's memory";
    }
    const std::optional<Seen> fast = sysret(state);
    if (!fast) {
        return "SYSRET faults in the kernel";
    }
    return fast == iret(state) ? nullptr : "SYSRET does something else than IRET";
}

}  // namespace kerntoll::entry_test
