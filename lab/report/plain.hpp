// SPDX-License-Identifier: MIT
// Text on its way to a terminal or a page: made harmless, measured in columns, wrapped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::lab::report {

/// Text from outside (a guest's console, a target as typed, a kernel's version) without anything
/// that a terminal obeys or a reader cannot see: control characters, bytes that are not UTF-8,
/// bidirectional overrides and invisible characters are written out as \x1b or \u{202e}.
[[nodiscard]] std::string harmless(std::string_view text);

/// harmless(), with what Markdown obeys escaped: for running text and table cells.
[[nodiscard]] std::string markdown_text(std::string_view text);
/// harmless(), as a Markdown code span.
[[nodiscard]] std::string markdown_code(std::string_view text);

/// Columns that harmless text takes: its number of characters.
[[nodiscard]] std::size_t columns_of(std::string_view text);
[[nodiscard]] std::string pad_right(std::string text, std::size_t columns);

/// Breaks text between words into lines of at most `width` columns; a longer word gets a line of
/// its own.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// A word as a POSIX shell must be given it.
[[nodiscard]] std::string shell_word(std::string_view word);

}  // namespace kerntoll::lab::report
