// SPDX-License-Identifier: MIT
// A strip of dots: where every replicate's value lies, at one glance.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace kerntoll::lab::report {

/// A strip `width` columns wide and the values at its two ends. The more replicates in a column,
/// the heavier its dot; what lies beyond an end is gathered in it. A bar marks zero, where zero
/// lies on the strip.
struct Strip {
    std::string dots;
    double low = 0;
    double high = 0;
};

enum class Zero { shown, left_out };

/// Nothing for fewer than two values: one dot shows nothing.
[[nodiscard]] std::optional<Strip> strip(std::span<const double> values, std::size_t width,
                                         Zero zero);

}  // namespace kerntoll::lab::report
