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

/// The interval of the signed-rank test, its ranks moved away from the middle by `stretch`. Where
/// that leaves the range of the data, the range itself is stretched in proportion.
Interval interval(std::span<const double> ascending, double centre, double level, double stretch) {
    const std::size_t n = ascending.size();
    const auto critical = signed_rank_critical(n, (1 - level) / 2);
    if (!critical) {
        return unbounded;
    }
    const std::size_t averages = n * (n + 1) / 2;
    const double middle = static_cast<double>(averages) / 2;
    const double distance = (middle - static_cast<double>(*critical)) * stretch;
    if (distance > middle) {
        const double beyond = distance / middle;
        return {centre + (ascending.front() - centre) * beyond,
                centre + (ascending.back() - centre) * beyond};
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
/// about 0.05 where the interval just touches zero.
double p_value(const Estimate& estimate, const Correlation& correlation) {
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
    const auto distribution = student(estimate);
    const double distance =
        quantile(estimate, 0.025) * correlation.stretch(0.05) * std::abs(estimate.effect) / reach;
    double p = 0;
    for (const auto& [weight, inflation] : correlation.possible()) {
        p += weight * 2 *
             boost::math::cdf(
                 boost::math::complement(distribution, distance / std::sqrt(inflation)));
    }
    return std::max(least, p);
}

/// How many replicates are enough to believe a width: so many independent ones, and more of them
/// the more the replicates are correlated, since how much they are is itself read from them.
double enough_replicates(const Estimate& estimate, std::size_t least_replicates) {
    const double inflation = static_cast<double>(estimate.replicates) / estimate.independent;
    return static_cast<double>(least_replicates) * std::pow(inflation, 1.5);
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

double undisturbed(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    const double position = 0.25 * static_cast<double>(copy.size() - 1);
    const double below = std::floor(position);
    const auto at = copy.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(copy.begin(), at, copy.end());
    if (position == below) {
        return *at;
    }
    const double next = *std::min_element(at + 1, copy.end());
    return *at + (position - below) * (next - *at);
}

double replicate_effect(std::span<const double> base, std::span<const double> change) {
    return std::log(undisturbed(change) / undisturbed(base));
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
    const Correlation correlation(effects, result.effect);
    const double stretch = correlation.stretch(0.05);
    result.independent = static_cast<double>(effects.size()) / (stretch * stretch);
    result.interval95 = interval(ascending, result.effect, 0.95, stretch);
    result.interval99 = interval(ascending, result.effect, 0.99, correlation.stretch(0.01));
    result.p_value = p_value(result, correlation);
    // How much like correlated ones independent replicates look differs from run to run, by about
    // this factor; the rarer the error, the more of the stretch hangs on it.
    constexpr double luck = 30;
    result.critical = result.interval95.half_width() * quantile(result, family_level / 2) /
                      quantile(result, 0.025) * correlation.stretch(family_level / luck) / stretch;
    return result;
}

bool precise_enough(std::span<const Estimate> estimates, double precision,
                    std::size_t least_replicates) {
    return !estimates.empty() && std::ranges::all_of(estimates, [&](const Estimate& one) {
        return one.replicates > 0 && one.interval95.half_width() <= precision &&
               static_cast<double>(one.replicates) >= enough_replicates(one, least_replicates);
    });
}

double smallest_detectable(const Estimate& estimate) {
    // Half of what has a critical effect is found; as much again as the interval reaches, and all
    // but one in forty is. One in twenty would do if the next run were exactly as wide as this one.
    return estimate.critical + estimate.interval95.half_width();
}

std::optional<std::size_t> replicates_needed(const Estimate& estimate, double precision,
                                             std::size_t least_replicates) {
    const double ratio = estimate.interval95.half_width() / precision;
    if (!std::isfinite(ratio)) {
        return std::nullopt;
    }
    const double narrow = static_cast<double>(estimate.replicates) * std::max(1.0, ratio * ratio);
    return static_cast<std::size_t>(
        std::ceil(std::max(narrow, enough_replicates(estimate, least_replicates))));
}

}  // namespace kerntoll::lab::stats
