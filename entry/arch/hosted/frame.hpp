// SPDX-License-Identifier: MIT
// No machine at all: a program calls the entry path as a function, on the CPU that it runs on
// anyway. Nothing traps, no mode changes, no register is saved but by the compiler. What is left is
// what C++ makes of the path, which is what unit tests, fuzzers and the target `hosted:` want.
//
// What that means here:
//   * The caller fills a frame that lies below its Thread, as a stub would, and calls
//     kerntoll_entry_from_user().
//   * Interrupts are a flag. A test that wants one raises it in a hook.
//   * There is one cause, so there is nothing to decode: `vector` has no meaning; nor has
//     `frame=lazy`, since nobody saves registers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

struct alignas(16) Frame {
    uintptr_t pc;
    long number;
    uintptr_t argument[6];
    long result;
    /// What the caller would call again to restart: pc as it was on entry.
    uintptr_t original_pc;
};

/// 0 is a system call; everything else is the caller's to say.
using Cause = uintptr_t;

}  // namespace kerntoll::entry
