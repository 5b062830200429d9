// SPDX-License-Identifier: MIT
// Where a verdict is decided.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 6> verdict_names{{
    {Verdict::faster, "faster"},
    {Verdict::slower, "slower"},
    {Verdict::equivalent, "equivalent"},
    {Verdict::layout_like, "layout-like"},
    {Verdict::undecided, "undecided"},
    {Verdict::untrusted, "untrusted"},
}};

std::string percent(double log_ratio) {
    return fmt::format("{:+.2f} %", 100 * std::expm1(log_ratio));
}

/// A log-ratio that is a size.
std::string size(double log_ratio) {
    return fmt::format("{:.2f} %", 100 * std::expm1(log_ratio));
}

std::string text(const Interval& interval) {
    return fmt::format("[{}, {}]", percent(interval.low), percent(interval.high));
}

bool inside(const Interval& inner, const Interval& outer) {
    return inner.low >= outer.low && inner.high <= outer.high;
}

bool apart(const Interval& a, const Interval& b) {
    return a.high < b.low || a.low > b.high;
}

Decision decision(Verdict verdict, std::string reason) {
    return {verdict, false, std::move(reason)};
}

}  // namespace

std::string_view name(Verdict verdict) {
    for (const auto& [value, text_of_it] : verdict_names) {
        if (value == verdict) {
            return text_of_it;
        }
    }
    return "";
}

std::optional<Verdict> verdict_from_name(std::string_view text_of_it) {
    for (const auto& [value, known] : verdict_names) {
        if (known == text_of_it) {
            return value;
        }
    }
    return std::nullopt;
}

Interval placebo_reach(std::span<const Estimate> placebos) {
    // The base is one layout too: the one against which the others are measured.
    const auto draws = static_cast<double>(placebos.size() + 1);
    double sum = 0;
    for (const Estimate& placebo : placebos) {
        sum += placebo.effect;
    }
    const double mean = sum / draws;
    double squares = mean * mean;
    for (const Estimate& placebo : placebos) {
        squares += (placebo.effect - mean) * (placebo.effect - mean);
    }
    Interval reach{mean, mean};
    if (!placebos.empty()) {
        const boost::math::students_t student(draws - 1);
        const double spread = boost::math::quantile(boost::math::complement(student, 0.025)) *
                              std::sqrt(squares / (draws - 1) * (1 + 1 / draws));
        reach = {mean - spread, mean + spread};
    }
    for (const Estimate& placebo : placebos) {
        reach.low = std::min(reach.low, placebo.interval95.low);
        reach.high = std::max(reach.high, placebo.interval95.high);
    }
    return reach;
}

Decision decide(const Evidence& evidence) {
    const Interval margin{-evidence.margin, evidence.margin};
    const Interval& interval = evidence.change.interval95;
    if (evidence.misbehaved) {
        return decision(Verdict::untrusted, *evidence.misbehaved);
    }
    if (apart(evidence.control.interval99, margin)) {
        return decision(
            Verdict::untrusted,
            fmt::format("the control, the base measured against itself, reads {} with "
                        "its 99 % interval {} outside the margin",
                        percent(evidence.control.effect), text(evidence.control.interval99)));
    }
    if (inside(interval, margin)) {
        return decision(Verdict::equivalent, fmt::format("the 95 % interval {} lies inside the "
                                                         "margin of ±{}",
                                                         text(interval), size(evidence.margin)));
    }
    const bool excludes_zero = interval.low > 0 || interval.high < 0;
    const bool significant = excludes_zero && evidence.adjusted_p <= family_level;
    if (!evidence.placebos.empty()) {
        const Interval reach = placebo_reach(evidence.placebos);
        if (std::isfinite(reach.half_width()) && inside(interval, reach)) {
            return decision(Verdict::layout_like,
                            fmt::format("the 95 % interval {} lies inside what another layout of "
                                        "the same code may do, {} by {} placebo{}",
                                        text(interval), text(reach), evidence.placebos.size(),
                                        evidence.placebos.size() == 1 ? "" : "s"));
        }
        if (significant && !apart(interval, reach)) {
            return decision(Verdict::layout_like,
                            fmt::format("the 95 % interval {} is not clear of what another layout "
                                        "of the same code may do, {} by {} placebo{}",
                                        text(interval), text(reach), evidence.placebos.size(),
                                        evidence.placebos.size() == 1 ? "" : "s"));
        }
    }
    if (significant && evidence.fixed_images && evidence.equal_counts.value_or(false)) {
        return decision(Verdict::layout_like,
                        fmt::format("both images execute the same number of instructions per op, "
                                    "so {} is where their code lies, not what it does",
                                    percent(evidence.change.effect)));
    }
    if (significant) {
        Decision result = decision(interval.high < 0 ? Verdict::faster : Verdict::slower,
                                   fmt::format("the 95 % interval {} excludes zero, adjusted "
                                               "p = {:.2g}",
                                               text(interval), evidence.adjusted_p));
        result.layout_untested = evidence.fixed_images && evidence.placebos.empty();
        return result;
    }
    if (excludes_zero) {
        return decision(Verdict::undecided,
                        fmt::format("the 95 % interval {} excludes zero, but adjusted p = {:.2g} "
                                    "is above {:g}",
                                    text(interval), evidence.adjusted_p, family_level));
    }
    if (!std::isfinite(interval.half_width())) {
        return decision(Verdict::undecided, fmt::format("{} replicates are too few for an interval",
                                                        evidence.change.replicates));
    }
    return decision(Verdict::undecided, fmt::format("the 95 % interval {} holds zero and reaches "
                                                    "beyond the margin of ±{}",
                                                    text(interval), size(evidence.margin)));
}

std::vector<double> holm(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t index) { return p_values[index]; });
    std::vector<double> adjusted(p_values.size());
    double highest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const auto hypotheses_left = static_cast<double>(order.size() - rank);
        highest = std::max(highest, std::min(1.0, hypotheses_left * p_values[order[rank]]));
        adjusted[order[rank]] = highest;
    }
    return adjusted;
}

}  // namespace kerntoll::lab::stats
