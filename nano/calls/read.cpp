// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::read(entry::Frame& frame) {
    const long number = static_cast<long>(static_cast<int>(entry::argument(frame, 0)));
    File* const file = current_task().descriptors.find(number);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    if (!file->readable) {
        return error::bad_descriptor;
    }
    if (file->kind->read == nullptr) {
        return error::is_directory;
    }
    const size_t size = cut_size(entry::argument(frame, 2));
    return size == 0 ? 0 : file->kind->read(*file, entry::argument(frame, 1), size);
}

}  // namespace kerntoll::nano
