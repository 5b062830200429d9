// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "lab/stats/correlation.hpp"
#include "lab/stats/signed_rank.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

double two_sided_quantile(double level) {
    return boost::math::quantile(boost::math::complement(boost::math::normal(), (1 - level) / 2));
}

double hodges_lehmann(std::span<const double> ascending) {
    const std::size_t averages = ascending.size() * (ascending.size() + 1) / 2;
    const double upper = walsh_average(ascending, averages / 2);
    if (averages % 2 == 1) {
        return upper;
    }
    return (walsh_average(ascending, averages / 2 - 1) + upper) / 2;
}

/// The interval of the signed-rank test, its distance from the middle stretched by the square root
/// of the inflation.
Interval interval(std::span<const double> ascending, double level, double inflation) {
    const std::size_t n = ascending.size();
    const auto critical = signed_rank_critical(n, (1 - level) / 2);
    if (!critical) {
        return {-unbounded, unbounded};
    }
    const std::size_t averages = n * (n + 1) / 2;
    const double mean = static_cast<double>(averages) / 2;
    const double stretched = mean - (mean - static_cast<double>(*critical)) * std::sqrt(inflation);
    if (stretched < 0) {
        return {-unbounded, unbounded};
    }
    const auto rank = static_cast<std::size_t>(stretched);
    return {walsh_average(ascending, rank), walsh_average(ascending, averages - 1 - rank)};
}

double p_value(std::span<const double> ascending, double inflation) {
    const std::size_t n = ascending.size();
    const double mean = static_cast<double>(n * (n + 1)) / 4;
    const double distance = std::abs(signed_rank_statistic(ascending) - mean);
    // Rounded up: the smaller distance, the larger p.
    const double shrunk = std::ceil(mean - distance / std::sqrt(inflation));
    return std::min(1.0, 2 * signed_rank_cumulative(n, shrunk));
}

}  // namespace

double median(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
    std::nth_element(copy.begin(), middle, copy.end());
    if (copy.size() % 2 == 1) {
        return *middle;
    }
    return (*middle + *std::max_element(copy.begin(), middle)) / 2;
}

double replicate_effect(std::span<const double> base, std::span<const double> change) {
    std::vector<double> differences(base.size());
    for (std::size_t i = 0; i < base.size(); ++i) {
        differences[i] = std::log(change[i] / base[i]);
    }
    return median(differences);
}

Estimate estimate(std::span<const double> effects) {
    Estimate result;
    result.replicates = effects.size();
    result.interval95 = {-unbounded, unbounded};
    result.interval99 = result.interval95;
    if (effects.empty()) {
        return result;
    }
    std::vector<double> ascending(effects.begin(), effects.end());
    std::sort(ascending.begin(), ascending.end());
    result.effect = hodges_lehmann(ascending);
    const double inflation = variance_inflation(effects, result.effect);
    result.interval95 = interval(ascending, 0.95, inflation);
    result.interval99 = interval(ascending, 0.99, inflation);
    result.p_value = p_value(ascending, inflation);
    return result;
}

bool look_due(std::size_t replicates, std::size_t least_replicates) {
    std::size_t look = std::max<std::size_t>(least_replicates, 1);
    while (look < replicates) {
        look += std::max<std::size_t>(look / 16, 1);
    }
    return look == replicates;
}

bool precise_enough(std::span<const Estimate> estimates, double precision,
                    std::size_t least_replicates) {
    return !estimates.empty() && std::ranges::all_of(estimates, [&](const Estimate& one) {
        return one.replicates >= least_replicates && one.interval95.half_width() <= precision;
    });
}

double smallest_detectable(const Estimate& estimate) {
    const double error = estimate.interval95.half_width() / two_sided_quantile(0.95);
    const double power = boost::math::quantile(boost::math::normal(), 0.95);
    return (two_sided_quantile(1 - family_level) + power) * error;
}

std::optional<std::size_t> replicates_needed(const Estimate& estimate, double precision) {
    const double ratio = estimate.interval95.half_width() / precision;
    if (!std::isfinite(ratio)) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(
        std::ceil(static_cast<double>(estimate.replicates) * std::max(1.0, ratio * ratio)));
}

}  // namespace kerntoll::lab::stats
