// SPDX-License-Identifier: MIT
// RAM begins at 0x8000_0000, with the image.
#pragma once

#include "nano/places.hpp"

namespace kerntoll::nano::riscv64 {

inline constexpr Places places = {
    .parameters = 0x8020'0000,
    .program = 0x8021'0000,
    .program_limit = 0x1f'0000,
    .pool_begin = 0x8040'0000,
    .pool_end = 0x8200'0000,
};

}  // namespace kerntoll::nano::riscv64
