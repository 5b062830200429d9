// SPDX-License-Identifier: MIT
// "Did you mean": the known word that a mistyped one is closest to.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace kerntoll::lab {

/// The candidate that takes the fewest inserted, dropped, changed or exchanged characters to get to
/// from `word`, if that is few enough for a typing mistake (a third of the word, at least one).
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace kerntoll::lab
