// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::lseek(entry::Frame& frame) {
    const long number = static_cast<long>(static_cast<int>(entry::argument(frame, 0)));
    File* const file = current_task().descriptors.find(number);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    if (file->kind->seek == nullptr) {
        return error::cannot_seek;
    }
    return file->kind->seek(*file, static_cast<long>(entry::argument(frame, 1)),
                            static_cast<int>(entry::argument(frame, 2)));
}

}  // namespace kerntoll::nano
