// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::umask(entry::Frame& frame) {
    constexpr unsigned permissions = 0777;
    unsigned& mask = current_task().mode_mask;
    const unsigned before = mask;
    mask = static_cast<unsigned>(entry::argument(frame, 0)) & permissions;
    return before;
}

}  // namespace kerntoll::nano
