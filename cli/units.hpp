// SPDX-License-Identifier: MIT
// Numbers with units and lists, as a user types them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::cli {

/// "90s", "2m", "1h", "250ms", or a plain number of seconds; must be greater than zero.
/// Fault::usage otherwise.
[[nodiscard]] lab::Result<std::chrono::duration<double>> parse_duration(std::string_view text);

/// "0.5" or "0.5%" as a log-ratio (0.5 % is log 1.005); must be greater than zero and at most 100
/// %. Fault::usage otherwise.
[[nodiscard]] lab::Result<double> parse_percent(std::string_view text);

/// A whole number from `least` to `most`. Fault::usage otherwise.
[[nodiscard]] lab::Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least,
                                                     std::uint64_t most);

/// The parts of a comma-separated list, empty ones left out.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace kerntoll::cli
