// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kerntoll::lab {

/// SHA-256, as 64 hexadecimal digits.
[[nodiscard]] std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace kerntoll::lab
