// SPDX-License-Identifier: MIT
// Power-off alone.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/report.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::reboot(entry::Frame& frame) {
    constexpr uintptr_t magic_1 = 0xfee1dead;
    constexpr uintptr_t magic_2 = 672274793;
    constexpr uintptr_t power_off = 0x4321fedc;
    const auto word = [&frame](unsigned index) {
        return entry::argument(frame, index) & UINT32_MAX;
    };
    if (word(0) != magic_1 || word(1) != magic_2 || word(2) != power_off) {
        return error::invalid;
    }
    shut_down(0);
}

}  // namespace kerntoll::nano
