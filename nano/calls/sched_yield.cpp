// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/scheduler.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::sched_yield(entry::Frame&) {
    yield();
    return 0;
}

}  // namespace kerntoll::nano
