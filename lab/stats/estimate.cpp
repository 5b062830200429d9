// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "lab/stats/correlation.hpp"
#include "lab/stats/signed_rank.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {
namespace {

double hodges_lehmann(std::span<const double> ascending) {
    const std::size_t averages = ascending.size() * (ascending.size() + 1) / 2;
    const double upper = walsh_average(ascending, averages / 2);
    if (averages % 2 == 1) {
        return upper;
    }
    return (walsh_average(ascending, averages / 2 - 1) + upper) / 2;
}

/// The interval of the signed-rank test, its ranks moved away from the middle by the square root of
/// the inflation. Where that leaves the range of the data, the range itself is stretched in
/// proportion.
Interval interval(std::span<const double> ascending, double centre, double level,
                  double inflation) {
    const std::size_t n = ascending.size();
    const auto critical = signed_rank_critical(n, (1 - level) / 2);
    if (!critical) {
        return unbounded;
    }
    const std::size_t averages = n * (n + 1) / 2;
    const double middle = static_cast<double>(averages) / 2;
    const double distance = (middle - static_cast<double>(*critical)) * std::sqrt(inflation);
    if (distance > middle) {
        const double stretch = distance / middle;
        return {centre + (ascending.front() - centre) * stretch,
                centre + (ascending.back() - centre) * stretch};
    }
    const auto rank = static_cast<std::size_t>(middle - distance);
    return {walsh_average(ascending, rank), walsh_average(ascending, averages - 1 - rank)};
}

/// Student's t with one degree of freedom less than replicates.
boost::math::students_t student(const Estimate& estimate) {
    return boost::math::students_t(std::max(1.0, static_cast<double>(estimate.replicates) - 1));
}

double quantile(const Estimate& estimate, double tail) {
    return boost::math::quantile(boost::math::complement(student(estimate), tail));
}

/// How far zero lies from the centre, in units of the interval's own reach on that side; so p is
/// 0.05 where the interval just touches zero.
double p_value(const Estimate& estimate) {
    const double reach = estimate.effect > 0 ? estimate.effect - estimate.interval95.low
                                             : estimate.interval95.high - estimate.effect;
    if (estimate.effect == 0 || !std::isfinite(reach)) {
        return 1;
    }
    // However narrow: n replicates cannot say more than that all have the same sign.
    const double least = std::exp2(1 - static_cast<double>(estimate.replicates));
    if (reach <= 0) {
        return least;
    }
    const double t = quantile(estimate, 0.025) * std::abs(estimate.effect) / reach;
    return std::max(least, 2 * boost::math::cdf(boost::math::complement(student(estimate), t)));
}

/// How many independent replicates are enough to believe a width: the least number, and more of
/// them the more the replicates are correlated, since how much they are is itself read from them.
bool enough_replicates(const Estimate& estimate, std::size_t least_replicates) {
    const double inflation = static_cast<double>(estimate.replicates) / estimate.independent;
    return estimate.replicates >= least_replicates &&
           estimate.independent >= static_cast<double>(least_replicates) * std::sqrt(inflation);
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
    if (effects.empty()) {
        return result;
    }
    std::vector<double> ascending(effects.begin(), effects.end());
    std::sort(ascending.begin(), ascending.end());
    result.effect = hodges_lehmann(ascending);
    const double inflation = variance_inflation(effects, result.effect);
    result.independent = static_cast<double>(effects.size()) / inflation;
    result.interval95 = interval(ascending, result.effect, 0.95, inflation);
    result.interval99 = interval(ascending, result.effect, 0.99, inflation);
    result.p_value = p_value(result);
    return result;
}

bool precise_enough(std::span<const Estimate> estimates, double precision,
                    std::size_t least_replicates) {
    return !estimates.empty() && std::ranges::all_of(estimates, [&](const Estimate& one) {
        return enough_replicates(one, least_replicates) && one.interval95.half_width() <= precision;
    });
}

double smallest_detectable(const Estimate& estimate) {
    const double half_width = estimate.interval95.half_width();
    if (!std::isfinite(half_width)) {
        return half_width;
    }
    const double error = half_width / quantile(estimate, 0.025);
    // A quantile of 0.05 would do if the next run were exactly as wide as this one.
    return (quantile(estimate, family_level / 2) + quantile(estimate, 0.025)) * error;
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
