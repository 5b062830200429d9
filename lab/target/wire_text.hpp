// SPDX-License-Identifier: MIT
// The wire's texts as the standard library's, and back.
#pragma once

#include <string_view>

#include "wire/text.hpp"

namespace kerntoll::lab {

[[nodiscard]] constexpr wire::Text as_text(std::string_view text) {
    return {text.data(), text.size()};
}

[[nodiscard]] constexpr std::string_view as_view(wire::Text text) {
    return {text.data, text.size};
}

}  // namespace kerntoll::lab
