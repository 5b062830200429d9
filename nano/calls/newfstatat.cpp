// SPDX-License-Identifier: MIT
// Of absolute paths; there are no directories to be relative to.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/status.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::newfstatat(entry::Frame& frame) {
    char path[64];
    const long size = copy_text_from_user(path, entry::argument(frame, 1), sizeof path);
    if (size < 0) {
        // No file of this kernel has a longer path.
        return size == error::name_too_long ? error::no_entry : size;
    }
    const FileKind* const kind = find_path(path);
    if (kind == nullptr) {
        return error::no_entry;
    }
    return write_user(entry::argument(frame, 2), status_of(*kind, nullptr)) ? 0
                                                                            : error::bad_address;
}

}  // namespace kerntoll::nano
