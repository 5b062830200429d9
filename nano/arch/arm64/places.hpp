// SPDX-License-Identifier: MIT
// RAM begins at 0x4000_0000 with the machine's device tree; the image lies at 0x4020_0000.
#pragma once

#include "nano/places.hpp"

namespace kerntoll::nano::arm64 {

inline constexpr Places places = {
    .parameters = 0x4040'0000,
    .program = 0x4041'0000,
    .program_limit = 0x1f'0000,
    .pool_begin = 0x4060'0000,
    .pool_end = 0x4200'0000,
};

}  // namespace kerntoll::nano::arm64
