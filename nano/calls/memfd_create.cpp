// SPDX-License-Identifier: MIT
// The name must be there, as Linux asks, and is forgotten.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::memfd_create(entry::Frame& frame) {
    constexpr uintptr_t known_flags = 3;  // MFD_CLOEXEC, MFD_ALLOW_SEALING
    char name[250];
    if ((entry::argument(frame, 1) & ~known_flags) != 0) {
        return error::invalid;
    }
    const long size = copy_text_from_user(name, entry::argument(frame, 0), sizeof name);
    if (size < 0) {
        return size == error::name_too_long ? error::invalid : size;
    }
    File* const file = make_memory_file();
    if (file == nullptr) {
        return error::no_memory;
    }
    const long descriptor = current_task().descriptors.add(*file, 0);
    if (descriptor < 0) {
        release_file(*file);
    }
    return descriptor;
}

}  // namespace kerntoll::nano
