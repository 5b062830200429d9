// SPDX-License-Identifier: MIT
#include "cli/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace kerntoll::cli {
namespace {

/// A number and what stands behind it.
std::optional<std::pair<double, std::string_view>> split_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    if (error != std::errc{} || !std::isfinite(number)) {
        return std::nullopt;
    }
    return std::pair{number, std::string_view(end, text.end())};
}

struct Unit {
    std::string_view name;
    double seconds;
};
constexpr std::array units{Unit{"", 1},   Unit{"s", 1},    Unit{"ms", 1e-3},
                           Unit{"m", 60}, Unit{"min", 60}, Unit{"h", 3600}};

}  // namespace

lab::Result<std::chrono::duration<double>> parse_duration(std::string_view text) {
    if (const auto number = split_number(text); number && number->first > 0) {
        for (const Unit& unit : units) {
            if (unit.name == number->second) {
                return std::chrono::duration<double>(number->first * unit.seconds);
            }
        }
    }
    return lab::fail(
        lab::Fault::usage,
        fmt::format("'{}' is no duration greater than zero; write 90s, 2m, 250ms or 1h", text));
}

lab::Result<double> parse_percent(std::string_view text) {
    if (const auto number = split_number(text); number &&
                                                (number->second.empty() || number->second == "%") &&
                                                number->first > 0 && number->first <= 100) {
        return std::log1p(number->first / 100);
    }
    return lab::fail(
        lab::Fault::usage,
        fmt::format("'{}' is no percentage between 0 and 100; write 0.5 or 0.5%", text));
}

lab::Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least,
                                       std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    if (error == std::errc{} && end == text.end() && number >= least && number <= most) {
        return number;
    }
    return lab::fail(lab::Fault::usage,
                     fmt::format("'{}' is no whole number from {} to {}", text, least, most));
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (end > 0) {
            parts.emplace_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace kerntoll::cli
