// SPDX-License-Identifier: MIT
// A task may move itself alone, to a group of its own or to one that exists.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::setpgid(entry::Frame& frame) {
    Task& task = current_task();
    const long pid = static_cast<int>(entry::argument(frame, 0));
    const long group = static_cast<int>(entry::argument(frame, 1));
    if (group < 0) {
        return error::invalid;
    }
    if (pid != 0 && pid != task.pid) {
        return error::no_process;
    }
    if (group == 0 || group == task.pid) {
        task.group = task.pid;
        return 0;
    }
    for (const Task& other : all_tasks()) {
        if (other.state != Task::State::free && other.group == group) {
            task.group = group;
            return 0;
        }
    }
    return error::no_permission;
}

}  // namespace kerntoll::nano
