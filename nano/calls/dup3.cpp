// SPDX-License-Identifier: MIT
// O_CLOEXEC has no meaning, since there is no execve.
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::dup3(entry::Frame& frame) {
    File* const file = file_of(frame);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    constexpr uintptr_t close_on_exec = 02000000;
    const long copy = descriptor(frame, 1);
    if (copy == descriptor(frame, 0) || (entry::argument(frame, 2) & ~close_on_exec) != 0) {
        return error::invalid;
    }
    if (copy < 0 || copy >= Descriptors::count) {
        return error::bad_descriptor;
    }
    ++file->references;
    current_task().descriptors.put(copy, *file);
    return copy;
}

}  // namespace kerntoll::nano
