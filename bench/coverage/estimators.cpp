// SPDX-License-Identifier: MIT
#include "bench/coverage/estimators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "bench/coverage/machines.hpp"
#include "bench/coverage/simulate.hpp"
#include "lab/stats/signed_rank.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::bench {
namespace {

using lab::stats::Interval;
using Values = std::span<const double>;

double mean(Values values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double t_quantile(double freedom) {
    return boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), 0.025));
}

Interval around(double centre, double half_width) {
    return {centre - half_width, centre + half_width};
}

std::vector<double> sorted(Values values) {
    std::vector<double> copy(values.begin(), values.end());
    std::ranges::sort(copy);
    return copy;
}

double squares_around(Values values, double centre) {
    return std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
        return sum + (value - centre) * (value - centre);
    });
}

Interval in_use(Values values) {
    return lab::stats::estimate(values).interval95;
}

/// The one in use, without its correction for correlation.
Interval signed_rank(Values values) {
    const std::vector<double> ascending = sorted(values);
    const std::size_t averages = ascending.size() * (ascending.size() + 1) / 2;
    const std::size_t rank = lab::stats::signed_rank_critical(ascending.size(), 0.025).value_or(0);
    return {lab::stats::walsh_average(ascending, rank),
            lab::stats::walsh_average(ascending, averages - 1 - rank)};
}

Interval mean_and_t(Values values) {
    const auto n = static_cast<double>(values.size());
    const double centre = mean(values);
    const double error = std::sqrt(squares_around(values, centre) / (n - 1) / n);
    return around(centre, t_quantile(n - 1) * error);
}

/// A fifth cut off at each end (Tukey and McLaughlin, Sankhya A 25, 1963).
Interval trimmed_mean(Values values) {
    std::vector<double> winsorised = sorted(values);
    const std::size_t cut = winsorised.size() / 5;
    const Values kept = Values(winsorised).subspan(cut, winsorised.size() - 2 * cut);
    const double centre = mean(kept);
    const auto kept_count = static_cast<double>(kept.size());
    for (std::size_t i = 0; i < cut; ++i) {
        winsorised[i] = winsorised[cut];
        winsorised[winsorised.size() - 1 - i] = winsorised[winsorised.size() - 1 - cut];
    }
    const double error =
        std::sqrt(squares_around(winsorised, mean(winsorised)) / (kept_count * (kept_count - 1)));
    return around(centre, t_quantile(kept_count - 1) * error);
}

/// The median between two order statistics.
Interval median_by_order(Values values) {
    const std::vector<double> ascending = sorted(values);
    const boost::math::binomial sign(static_cast<double>(values.size()), 0.5);
    std::size_t rank = 0;
    while (boost::math::cdf(sign, static_cast<double>(rank)) <= 0.025) {
        ++rank;
    }
    rank = std::max<std::size_t>(rank, 1) - 1;
    return {ascending[rank], ascending[ascending.size() - 1 - rank]};
}

/// The means of ten successive groups, and Student's t over them.
Interval batch_means(Values values) {
    constexpr std::size_t groups = 10;
    std::vector<double> means;
    for (std::size_t group = 0; group < groups; ++group) {
        const std::size_t first = group * values.size() / groups;
        const std::size_t last = (group + 1) * values.size() / groups;
        means.push_back(mean(values.subspan(first, last - first)));
    }
    return mean_and_t(means);
}

struct Estimator {
    std::string_view name;
    Interval (*interval)(Values);
};

constexpr std::array estimators{
    Estimator{"in use", in_use},          Estimator{"uncorrected", signed_rank},
    Estimator{"mean, t", mean_and_t},     Estimator{"trimmed mean", trimmed_mean},
    Estimator{"median", median_by_order}, Estimator{"batch means", batch_means},
};

}  // namespace

lab::Result<std::string> compare_estimators(std::size_t runs, std::uint64_t seed) {
    std::string text = "| machine | replicates |";
    for (const Estimator& estimator : estimators) {
        text += fmt::format(" {} |", estimator.name);
    }
    text += "\n|---|---|---|---|---|---|---|---|\n";
    for (const Machine& machine : machines()) {
        for (const std::size_t replicates : {20UZ, 80UZ}) {
            std::array<std::size_t, estimators.size()> covered{};
            std::array<std::vector<double>, estimators.size()> half_widths;
            for (std::size_t run = 0; run < runs; ++run) {
                const auto effects = simulate_effects(machine, replicates, seed + run);
                if (!effects) {
                    return std::unexpected(effects.error());
                }
                for (std::size_t i = 0; i < estimators.size(); ++i) {
                    const Interval interval = estimators[i].interval(*effects);
                    covered[i] += interval.low <= 0 && interval.high >= 0 ? 1 : 0;
                    half_widths[i].push_back(interval.half_width());
                }
            }
            text += fmt::format("| {} | {} |", machine.name, replicates);
            for (std::size_t i = 0; i < estimators.size(); ++i) {
                text +=
                    fmt::format(" {:.1f} ±{:.2f} |",
                                100 * static_cast<double>(covered[i]) / static_cast<double>(runs),
                                100 * lab::stats::median(half_widths[i]));
            }
            text += '\n';
        }
    }
    return text + "\nCoverage in percent of " + fmt::to_string(runs) +
           " runs, and the median half-width in percent.\n";
}

}  // namespace kerntoll::bench
