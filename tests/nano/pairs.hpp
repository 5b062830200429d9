// SPDX-License-Identifier: MIT
// Few variants of the entry path in which any two values of two axes meet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::nano_test {

/// A value for each axis that a port has.
using Choices = std::map<std::string_view, std::string_view>;

/// Variants of a port that may be, so many that each pair of values that may meet does so in one
/// of them (a covering array of strength two, found greedily).
[[nodiscard]] std::vector<Choices> variants_for_every_pair(std::string_view port);

/// As nano/build takes them.
[[nodiscard]] std::vector<std::string> words_of(const Choices& choices);

}  // namespace kerntoll::nano_test
