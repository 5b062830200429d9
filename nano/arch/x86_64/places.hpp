// SPDX-License-Identifier: MIT
// The image lies at 0x10_0000.
#pragma once

#include "nano/places.hpp"

namespace kerntoll::nano::x86_64 {

inline constexpr Places places = {
    .parameters = 0x20'0000,
    .program = 0x21'0000,
    .program_limit = 0x1f'0000,
    .pool_begin = 0x40'0000,
    .pool_end = 0x200'0000,
};

}  // namespace kerntoll::nano::x86_64
