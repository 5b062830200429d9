// SPDX-License-Identifier: MIT
// The file that the recorder writes and the lab reads (docs/trace.md): what both must agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kerntoll::trace_format {

inline constexpr std::string_view magic = "kerntoll trace 1\n";

/// Why the recorder stopped.
enum class End : std::uint8_t {
    complete = 0,     ///< as many round trips as were asked for
    guest_ended = 1,  ///< the machine went away before that
    too_long = 2,     ///< a call did not come back to user mode within the limit
};

/// The last eight bytes, little endian, are this of all that stands before them. FNV-1a, 64 bits
/// (Fowler, Noll, Vo; RFC 9923): a trace that was cut short is noticed, nothing more is asked of
/// it.
[[nodiscard]] constexpr std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    return hash;
}
inline constexpr std::size_t checksum_size = 8;

/// One access to memory in one byte: the power of two of its size, and whether it wrote.
inline constexpr std::uint8_t size_mask = 0x0f;
inline constexpr std::uint8_t store_bit = 0x10;

// What no trace exceeds, so that a reader may refuse it. Instructions: 15 bytes on x86, 6 and less
// elsewhere. QEMU's accesses: 1024 bits (MO_1024). Its disassemblers' lines: well below half of
// this.
inline constexpr std::size_t longest_instruction = 15;
inline constexpr std::uint8_t largest_size_shift = 7;
inline constexpr std::size_t longest_text = 256;

/// Small numbers of either sign become small numbers without one.
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t number) {
    return static_cast<std::uint64_t>(number) << 1U ^ static_cast<std::uint64_t>(number >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t number) {
    return static_cast<std::int64_t>(number >> 1U ^ (0 - (number & 1U)));
}

}  // namespace kerntoll::trace_format
