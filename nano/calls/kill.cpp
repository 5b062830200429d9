// SPDX-License-Identifier: MIT
// To one task; there is nobody to be signalled as a group.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::kill(entry::Frame& frame) {
    const long pid = static_cast<int>(entry::argument(frame, 0));
    const long number = static_cast<int>(entry::argument(frame, 1));
    if (number < 0 || number > signal::most) {
        return error::invalid;
    }
    Task* const task = pid > 0 ? find_task(pid) : nullptr;
    if (task == nullptr) {
        return error::no_process;
    }
    if (number != 0 && task->state == Task::State::alive) {
        send_signal(*task, {.number = static_cast<int32_t>(number),
                            .address = sender_of(current_task().pid)});
    }
    return 0;
}

}  // namespace kerntoll::nano
