// SPDX-License-Identifier: MIT
// What all text for terminals has in common.
#pragma once

#include <cstddef>
#include <string>

#include "lab/report/render.hpp"

namespace kerntoll::lab::report {

/// Text is laid out for widths between these, whatever the terminal's.
inline constexpr std::size_t narrowest = 80;
inline constexpr std::size_t widest = 120;

/// SGR codes (ECMA-48, 8.3.117).
inline constexpr const char* bold = "1";
inline constexpr const char* dim = "2";
inline constexpr const char* red = "31";
inline constexpr const char* green = "32";

/// Wraps text in an SGR sequence where colour is wanted.
[[nodiscard]] inline std::string paint(const std::string& text, const char* code, Colour colour) {
    return colour == Colour::on ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

}  // namespace kerntoll::lab::report
