// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::getppid(entry::Frame&) {
    return current_task().parent;
}

}  // namespace kerntoll::nano
