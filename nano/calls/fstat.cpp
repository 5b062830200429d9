// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "nano/status.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::fstat(entry::Frame& frame) {
    File* const file = file_of(frame);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    return write_user(entry::argument(frame, 1), status_of(*file->kind, file)) ? 0
                                                                               : error::bad_address;
}

}  // namespace kerntoll::nano
