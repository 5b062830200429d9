// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::lseek(entry::Frame& frame) {
    File* const file = file_of(frame);
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
