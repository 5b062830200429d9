// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::close(entry::Frame& frame) {
    const long number = static_cast<int>(entry::argument(frame, 0));
    return current_task().descriptors.close(number) ? 0 : error::bad_descriptor;
}

}  // namespace kerntoll::nano
