// SPDX-License-Identifier: MIT
// Symbols as text: System.map and /proc/kallsyms.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/symbols_table.hpp"

namespace kerntoll::lab::path {

/// Reads lines of "ffffffff81000000 T name", each with or without "[module]" behind it, in any
/// order. Absolute symbols are left out: they are numbers and no addresses. Otherwise what is
/// wrong, to be put behind the file's name: "is empty".
[[nodiscard]] std::expected<std::vector<Label>, std::string> read_text(std::string_view bytes);

}  // namespace kerntoll::lab::path
