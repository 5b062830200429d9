// SPDX-License-Identifier: MIT
// Takes the place of nano/calls/umask.cpp in images that tell how far below the user's frame a call
// runs (bug_test.cpp).
#include "nano/calls/calls.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::umask(entry::Frame& frame) {
    return static_cast<long>(reinterpret_cast<uintptr_t>(&frame) -
                             reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

}  // namespace kerntoll::nano
