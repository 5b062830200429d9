// SPDX-License-Identifier: MIT
// CRC-32 as in IEEE 802.3 (reflected, polynomial 0x04c11db7): finds every burst error of up to 32
// bits, which is what a kernel message in the middle of a frame looks like.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::wire {

namespace detail {

// A table of nibbles and not of bytes: 64 bytes instead of 1024 in an agent that must stay small.
struct CrcTable {
    uint32_t of_nibble[16];
};

constexpr CrcTable make_crc_table() {
    CrcTable table{};
    for (uint32_t nibble = 0; nibble < 16; ++nibble) {
        uint32_t rest = nibble;
        for (int bit = 0; bit < 4; ++bit) {
            rest = (rest & 1U) != 0 ? rest >> 1U ^ 0xedb88320U : rest >> 1U;
        }
        table.of_nibble[nibble] = rest;
    }
    return table;
}

inline constexpr CrcTable crc_table = make_crc_table();

}  // namespace detail

/// The CRC-32 of all bytes of `text`; "123456789" gives 0xcbf43926.
[[nodiscard]] constexpr uint32_t crc32(Text text) {
    uint32_t rest = 0xffffffffU;
    for (size_t i = 0; i < text.size; ++i) {
        rest ^= static_cast<unsigned char>(text.data[i]);
        rest = rest >> 4U ^ detail::crc_table.of_nibble[rest & 0xfU];
        rest = rest >> 4U ^ detail::crc_table.of_nibble[rest & 0xfU];
    }
    return ~rest;
}

}  // namespace kerntoll::wire
