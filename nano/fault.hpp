// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

namespace kerntoll::nano {

/// An exception that a user ran into, as a signal.
struct Fault {
    int signal;
    uintptr_t address;  ///< what was accessed; for an instruction that is at fault, where it lies
};

}  // namespace kerntoll::nano
