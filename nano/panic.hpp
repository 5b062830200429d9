// SPDX-License-Identifier: MIT
// The end of a kernel that found a bug in itself.
#pragma once

#include "frame.hpp"

namespace kerntoll::nano {

/// Exit status of a machine whose kernel panicked, where the machine has one.
inline constexpr int panic_status = 101;

/// Prints one line, `nano: panic: WHAT`, with who called, and powers off with failure.
[[noreturn]] void panic(const char* what);
/// The same with the registers of `frame`, for a trap that the kernel itself ran into.
[[noreturn]] void panic(const char* what, const entry::Frame& frame);
/// For an overflow of a kernel stack: where that happened is all that can be told.
[[noreturn]] void panic_about_overflow(uintptr_t pc, uintptr_t stack);

}  // namespace kerntoll::nano
