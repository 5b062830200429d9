// SPDX-License-Identifier: MIT
// Packets of GDB's remote serial protocol, as far as QEMU's stub uses them: `$payload#hh`, hh being
// the sum of the payload's bytes modulo 256.
// https://sourceware.org/gdb/current/onlinedocs/gdb.html/Overview.html
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kerntoll::lab {

/// A whole packet. The payload must hold none of `$`, `#`, `}` and `*`, which would need escapes.
[[nodiscard]] std::string gdb_packet(std::string_view payload);

/// Takes packets out of a stream that may hold anything. One packet is held at a time, since a stub
/// says nothing that it was not asked for: a second one before the first was taken is a fault, and
/// so is everything that is neither a packet nor an acknowledgement. There is no way back from a
/// fault: the line is a local socket, which loses and damages nothing.
class GdbDecoder {
public:
    /// The longest payload that is taken, in bytes.
    static constexpr std::size_t longest = 4096;

    /// Takes bytes in any portions. False from the first fault on.
    [[nodiscard]] bool feed(std::string_view bytes);
    /// The payload that has come whole, as it came (escapes and run lengths are not resolved);
    /// nothing while it has not.
    [[nodiscard]] std::optional<std::string> take();

private:
    [[nodiscard]] bool take_byte(char byte);
    [[nodiscard]] bool end_packet();

    enum class At { between, payload, first_digit, second_digit, fault } at_ = At::between;
    std::string payload_;
    unsigned sum_ = 0;
    std::optional<std::string> whole_;
};

/// The value of two hexadecimal digits, or nothing.
[[nodiscard]] std::optional<unsigned char> hex_byte(std::string_view digits);
/// Bytes written as pairs of hexadecimal digits; nothing where they are something else.
[[nodiscard]] std::optional<std::string> hex_bytes(std::string_view digits);

}  // namespace kerntoll::lab
