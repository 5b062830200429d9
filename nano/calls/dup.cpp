// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::dup(entry::Frame& frame) {
    File* const file = file_of(frame);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    const long copy = current_task().descriptors.add(*file, 0);
    if (copy >= 0) {
        ++file->references;
    }
    return copy;
}

}  // namespace kerntoll::nano
