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
    const size_t size = cut_size(entry::argument(frame, 2));
    return size == 0 ? 0 : file->kind->write(*file, entry::argument(frame, 1), size);
}

}  // namespace kerntoll::nano
