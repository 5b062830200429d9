// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::write(entry::Frame& frame) {
    File* const file = file_of(frame);
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
