// SPDX-License-Identifier: MIT
// Of absolute paths; there are no directories to be relative to, and nothing can be made.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::openat(entry::Frame& frame) {
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
    constexpr uintptr_t access_mask = 3;  // O_ACCMODE, of which the highest value means nothing
    constexpr uint32_t anybody_writes = 0222;
    const uintptr_t access = entry::argument(frame, 2) & access_mask;
    if (access == access_mask) {
        return error::invalid;
    }
    const auto use = static_cast<OpenFor>(access);
    if (use != OpenFor::reading && (kind->mode & anybody_writes) == 0) {
        return error::no_access;
    }
    if (use != OpenFor::reading && kind->write == nullptr) {
        return error::is_directory;
    }
    File* const file = make_file(*kind, use);
    if (file == nullptr) {
        return error::too_many_files_of_all;
    }
    const long descriptor = current_task().descriptors.add(*file, 0);
    if (descriptor < 0) {
        release_file(*file);
    }
    return descriptor;
}

}  // namespace kerntoll::nano
