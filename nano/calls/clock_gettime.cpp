// SPDX-License-Identifier: MIT
// CLOCK_MONOTONIC.
#include "nano/arch.hpp"
#include "nano/calls/calls.hpp"
#include "nano/calls/clock.hpp"
#include "nano/error.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::clock_gettime(entry::Frame& frame) {
    constexpr uint64_t second = 1'000'000'000;
    if (entry::argument(frame, 0) != monotonic) {
        return error::invalid;
    }
    const uint64_t now = arch::nanoseconds();
    const TimeSpec time{static_cast<int64_t>(now / second), static_cast<int64_t>(now % second)};
    return write_user(entry::argument(frame, 1), time) ? 0 : error::bad_address;
}

}  // namespace kerntoll::nano
