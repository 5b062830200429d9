// SPDX-License-Identifier: MIT
// RAM begins at 0; the stacks and the image are at 2 MiB.
#pragma once

#include "nano/places.hpp"

namespace kerntoll::nano::loongarch64 {

inline constexpr Places places = {
    .parameters = 0x40'0000,
    .program = 0x41'0000,
    .program_limit = 0x1f'0000,
    .pool_begin = 0x60'0000,
    .pool_end = 0x220'0000,
};

}  // namespace kerntoll::nano::loongarch64
