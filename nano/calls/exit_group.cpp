// SPDX-License-Identifier: MIT
// There are no threads: a group is a task.
#include "nano/calls/calls.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::exit_group(entry::Frame& frame) {
    constexpr uintptr_t status_mask = 0xff;
    exit_task(static_cast<int>((entry::argument(frame, 0) & status_mask) << 8U));
}

}  // namespace kerntoll::nano
