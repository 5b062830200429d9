// SPDX-License-Identifier: MIT
// RAM begins at 0 with the lowcore; the stacks and the image are around 1 MiB.
#pragma once

#include "nano/places.hpp"

namespace kerntoll::nano::s390x {

inline constexpr Places places = {
    .parameters = 0x20'0000,
    .program = 0x21'0000,
    .program_limit = 0x1f'0000,
    .pool_begin = 0x40'0000,
    .pool_end = 0x200'0000,
};

}  // namespace kerntoll::nano::s390x
