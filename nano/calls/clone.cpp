// SPDX-License-Identifier: MIT
// As fork(2): a copy of the task with memory of its own. Nothing can be shared.
#include "nano/arch.hpp"
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::clone(entry::Frame& frame) {
    constexpr uintptr_t signal_mask = 0xff;
    const uintptr_t flags = entry::argument(frame, arch::clone_flags_argument);
    if ((flags & ~signal_mask) != 0 || entry::argument(frame, arch::clone_stack_argument) != 0 ||
        (flags != 0 && flags != static_cast<uintptr_t>(signal::child))) {
        return error::invalid;
    }
    return ask_for_whole_frame(fork_task);
}

}  // namespace kerntoll::nano
