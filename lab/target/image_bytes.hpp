// SPDX-License-Identifier: MIT
// Reading numbers and signatures from bytes that may lie: every access is checked.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace kerntoll::lab {

using Bytes = std::span<const std::byte>;

/// The number at `offset`, or nothing where the bytes end before it does.
template <std::unsigned_integral T>
[[nodiscard]] std::optional<T> number_at(Bytes bytes, std::uint64_t offset, std::endian order) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
        return std::nullopt;
    }
    T value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return order == std::endian::native ? value : std::byteswap(value);
}

template <std::unsigned_integral T>
[[nodiscard]] std::optional<T> little_at(Bytes bytes, std::uint64_t offset) {
    return number_at<T>(bytes, offset, std::endian::little);
}

/// `size` bytes from `offset`, or nothing where they do not lie inside entirely.
[[nodiscard]] inline std::optional<Bytes> part_of(Bytes bytes, std::uint64_t offset,
                                                  std::uint64_t size) {
    if (offset > bytes.size() || bytes.size() - offset < size) {
        return std::nullopt;
    }
    return bytes.subspan(offset, size);
}

/// The bytes as text; a view, nothing is copied.
[[nodiscard]] inline std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether `signature` stands at `offset`.
[[nodiscard]] inline bool has_at(Bytes bytes, std::uint64_t offset, std::string_view signature) {
    const auto part = part_of(bytes, offset, signature.size());
    return part && text_of(*part) == signature;
}

}  // namespace kerntoll::lab
