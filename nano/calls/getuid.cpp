// SPDX-License-Identifier: MIT
// There are no users: everybody is root.
#include "nano/calls/calls.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::getuid(entry::Frame&) {
    return 0;
}

}  // namespace kerntoll::nano
