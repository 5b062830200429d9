// SPDX-License-Identifier: MIT
// F_DUPFD and F_GETFD.
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::fcntl(entry::Frame& frame) {
    File* const file = file_of(frame);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    constexpr uintptr_t duplicate = 0;
    constexpr uintptr_t get_flags = 1;
    const uintptr_t command = entry::argument(frame, 1) & UINT32_MAX;
    if (command == get_flags) {
        return 0;
    }
    const uintptr_t least = entry::argument(frame, 2);
    if (command != duplicate || least >= static_cast<uintptr_t>(Descriptors::count)) {
        return error::invalid;
    }
    const long copy = current_task().descriptors.add(*file, static_cast<long>(least));
    if (copy >= 0) {
        ++file->references;
    }
    return copy;
}

}  // namespace kerntoll::nano
