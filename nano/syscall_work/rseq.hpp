// SPDX-License-Identifier: MIT
// Restartable sequences (Linux: rseq(2)): a task that was preempted or signalled inside a critical
// section of its own goes on at that section's abort handler.
#pragma once

#include <stdint.h>

#include "frame.hpp"

namespace kerntoll::nano {

struct Task;

struct Rseq {
    uintptr_t area = 0;  ///< user address of struct rseq; 0: not registered
    uint32_t signature = 0;
};

/// Registers an area of the current task, as rseq(2).
[[nodiscard]] long add_rseq(uintptr_t area, uint32_t size, uint32_t signature);
/// Removes it: the very one that was registered.
[[nodiscard]] long remove_rseq(uintptr_t area, uint32_t size, uint32_t signature);

/// The task is going to be preempted or to run a handler: it must look at its section before it is
/// back in user mode.
void ask_for_rseq(Task& task);

/// Before a handler changes the pc: takes the frame out of a critical section.
void leave_critical_section(entry::Frame& frame);

}  // namespace kerntoll::nano
