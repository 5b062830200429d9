// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/status.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::fstat(entry::Frame& frame) {
    const long number = static_cast<long>(static_cast<int>(entry::argument(frame, 0)));
    File* const file = current_task().descriptors.find(number);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    return write_user(entry::argument(frame, 1), status_of(*file->kind, file)) ? 0
                                                                               : error::bad_address;
}

}  // namespace kerntoll::nano
