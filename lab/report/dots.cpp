// SPDX-License-Identifier: MIT
#include "lab/report/dots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace kerntoll::lab::report {
namespace {

/// From one replicate in a column to the fullest column.
constexpr std::array<std::string_view, 4> weights{"·", "•", "●", "█"};
/// Zero is drawn in where that leaves the values at least this part of the strip.
constexpr double least_part = 0.25;
/// Values further out than so many widths of their middle half are gathered at the ends.
constexpr double reach = 3;

double quantile(const std::vector<double>& sorted, double part) {
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

std::string_view weight(std::size_t members, std::size_t most) {
    if (members == 1 || most <= 1) {
        return weights.front();
    }
    const double part = std::log2(static_cast<double>(members)) /
                        std::log2(static_cast<double>(std::max<std::size_t>(most, weights.size())));
    return weights[std::min(
        static_cast<std::size_t>(std::lround(part * static_cast<double>(weights.size() - 1))),
        weights.size() - 1)];
}

}  // namespace

std::optional<Strip> strip(std::span<const double> values, std::size_t width, Zero zero) {
    if (values.size() < 2 || width < 2) {
        return std::nullopt;
    }
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const double quarter = quantile(sorted, 0.25);
    const double three_quarters = quantile(sorted, 0.75);
    const double middle_half = three_quarters - quarter;
    double low = std::max(sorted.front(), quarter - reach * middle_half);
    double high = std::min(sorted.back(), three_quarters + reach * middle_half);
    if (high <= low) {
        low = sorted.front();
        high = sorted.back();
    }
    if (high <= low) {  // all the same
        const double around = std::max(std::abs(low) / 1000, 1e-9);
        low -= around;
        high += around;
    }
    const double with_zero = std::max(high, 0.0) - std::min(low, 0.0);
    if (zero == Zero::shown && high - low >= least_part * with_zero) {
        low = std::min(low, 0.0);
        high = std::max(high, 0.0);
    }
    const auto column_of = [&](double value) {
        const double part = std::clamp((value - low) / (high - low), 0.0, 1.0);
        return static_cast<std::size_t>(std::lround(part * static_cast<double>(width - 1)));
    };
    std::vector<std::size_t> members(width);
    for (const double value : sorted) {
        ++members[column_of(value)];
    }
    const std::size_t most = *std::ranges::max_element(members);
    const bool zero_on_strip = zero == Zero::shown && low <= 0 && high >= 0;
    Strip result{{}, low, high};
    for (std::size_t column = 0; column < width; ++column) {
        if (members[column] > 0) {
            result.dots += weight(members[column], most);
        } else {
            result.dots += zero_on_strip && column == column_of(0) ? "|" : " ";
        }
    }
    return result;
}

}  // namespace kerntoll::lab::report
