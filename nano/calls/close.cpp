// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::close(entry::Frame& frame) {
    return current_task().descriptors.close(descriptor(frame, 0)) ? 0 : error::bad_descriptor;
}

}  // namespace kerntoll::nano
