// SPDX-License-Identifier: MIT
#include "lab/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kerntoll::lab::report {
namespace {

/// A signed number; one that rounds to zero has no sign.
std::string signed_text(double value, int decimals) {
    const double unit = std::pow(10.0, -decimals);
    if (std::abs(value) < unit / 2) {
        return fmt::format("{:.{}f}", 0.0, decimals);
    }
    return fmt::format("{:+.{}f}", value, decimals);
}

/// Half the interval's width in percent points, seen where it lies.
double half_width_percent(const stats::Interval& interval) {
    return (percent_of(interval.high) - percent_of(interval.low)) / 2;
}

}  // namespace

int decimals_for(double uncertainty) {
    if (!std::isfinite(uncertainty)) {
        return 1;
    }
    if (uncertainty <= 0) {
        return 3;
    }
    // The rule of the Particle Data Group: two digits of an uncertainty that begins with 1 to 3,
    // one of any other.
    const double exponent = std::floor(std::log10(uncertainty));
    const bool two_digits = uncertainty / std::pow(10.0, exponent) < 3.55;
    return static_cast<int>(std::clamp((two_digits ? 1.0 : 0.0) - exponent, 0.0, 3.0));
}

double percent_of(double log_ratio) {
    return 100 * std::expm1(log_ratio);
}

std::string effect_text(const stats::Estimate& estimate) {
    if (estimate.replicates == 0) {
        return "-";
    }
    const int decimals = decimals_for(half_width_percent(estimate.interval95));
    return signed_text(percent_of(estimate.effect), decimals) + " %";
}

std::string interval_text(const stats::Estimate& estimate) {
    const auto& interval = estimate.interval95;
    if (estimate.replicates == 0 || !std::isfinite(interval.half_width())) {
        return "-";
    }
    const int decimals = decimals_for(half_width_percent(interval));
    return fmt::format("[{}, {}]", signed_text(percent_of(interval.low), decimals),
                       signed_text(percent_of(interval.high), decimals));
}

std::string effect_and_interval_text(const stats::Estimate& estimate) {
    const std::string interval = interval_text(estimate);
    return effect_text(estimate) + (interval == "-" ? "" : " " + interval);
}

std::string size_text(double log_ratio) {
    const double percent = percent_of(log_ratio);
    if (!std::isfinite(percent)) {
        return "-";
    }
    return percent < 100 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::vector<std::string> ns_texts(std::span<const Figures* const> figures) {
    int decimals = 3;
    for (const Figures* each : figures) {
        if (each->ns_per_op) {
            // Without an interval: two or three digits, which no one can call precise.
            const double half = each->ns_interval.half_width();
            decimals = std::min(
                decimals,
                decimals_for(std::isfinite(half) && half > 0 ? half : *each->ns_per_op / 10));
        }
    }
    std::vector<std::string> texts;
    for (const Figures* each : figures) {
        texts.push_back(each->ns_per_op ? fmt::format("{:.{}f}", *each->ns_per_op, decimals) : "-");
    }
    return texts;
}

std::string ns_interval_text(const Figures& figures) {
    const double half = figures.ns_interval.half_width();
    if (!figures.ns_per_op || !std::isfinite(half)) {
        return "-";
    }
    const int decimals = decimals_for(half);
    return fmt::format("[{:.{}f}, {:.{}f}]", figures.ns_interval.low, decimals,
                       figures.ns_interval.high, decimals);
}

std::string count_text(double instructions) {
    return instructions == std::round(instructions) ? fmt::format("{:.0f}", instructions)
                                                    : fmt::format("{:.2f}", instructions);
}

std::string count_difference_text(double base, double change) {
    const double difference = change - base;
    if (difference == 0) {
        return "same";
    }
    return fmt::format("{}{} ({:+.2f} %)", difference > 0 ? "+" : "", count_text(difference),
                       100 * difference / base);
}

std::string duration_text(double seconds) {
    if (seconds < 100) {
        return fmt::format("{:.0f} s", seconds);
    }
    const double minutes = seconds / 60;
    if (minutes < 100) {
        return fmt::format("{:.0f} min", minutes);
    }
    const double hours = minutes / 60;
    return hours < 48 ? fmt::format("{:.1f} h", hours) : fmt::format("{:.0f} days", hours / 24);
}

}  // namespace kerntoll::lab::report
