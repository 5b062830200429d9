// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::getpgid(entry::Frame& frame) {
    const long pid = static_cast<int>(entry::argument(frame, 0));
    const Task* const task = pid == 0 ? &current_task() : find_task(pid);
    return task != nullptr ? task->group : error::no_process;
}

}  // namespace kerntoll::nano
