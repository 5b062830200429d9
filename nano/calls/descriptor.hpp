// SPDX-License-Identifier: MIT
// Descriptors among the arguments of a call.
#pragma once

#include "frame.hpp"
#include "nano/file.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano::calls {

/// An argument as a descriptor, which is an int: the upper half of the register means nothing.
[[nodiscard]] inline long descriptor(const entry::Frame& frame, unsigned index) {
    return static_cast<int>(entry::argument(frame, index));
}

/// The file behind the descriptor that the first argument is; nullptr where it is not open.
[[nodiscard]] inline File* file_of(const entry::Frame& frame) {
    return current_task().descriptors.find(descriptor(frame, 0));
}

}  // namespace kerntoll::nano::calls
