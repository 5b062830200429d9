// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::getpid(entry::Frame&) {
    return current_task().pid;
}

}  // namespace kerntoll::nano
