// SPDX-License-Identifier: MIT
// CLOCK_MONOTONIC.
#include "nano/arch.hpp"
#include "nano/calls/calls.hpp"
#include "nano/calls/clock.hpp"
#include "nano/error.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::clock_getres(entry::Frame& frame) {
    if (entry::argument(frame, 0) != monotonic) {
        return error::invalid;
    }
    const TimeSpec time{0, static_cast<int64_t>(arch::clock_resolution)};
    const uintptr_t where = entry::argument(frame, 1);
    return where == 0 || write_user(where, time) ? 0 : error::bad_address;
}

}  // namespace kerntoll::nano
