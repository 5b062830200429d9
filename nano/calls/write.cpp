// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::write(entry::Frame& frame) {
    const long number = static_cast<long>(static_cast<int>(entry::argument(frame, 0)));
    File* const file = current_task().descriptors.find(number);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    if (!file->writable || file->kind->write == nullptr) {
        return error::bad_descriptor;
    }
    return file->kind->write(*file, entry::argument(frame, 1), cut_size(entry::argument(frame, 2)));
}

}  // namespace kerntoll::nano
