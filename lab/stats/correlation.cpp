// SPDX-License-Identifier: MIT
#include "lab/stats/correlation.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

namespace kerntoll::lab::stats {
namespace {

/// Wilcoxon's scores: sign times rank of the distance from the centre. Bounded, so that a replicate
/// that is off by 20 % does not decide what the correlation is; and the very terms whose sum the
/// interval is made of.
std::vector<double> scores(std::span<const double> effects, double centre) {
    std::vector<std::size_t> order(effects.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::abs(effects[i] - centre); });
    std::vector<double> result(effects.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double distance = effects[order[rank]] - centre;
        const double sign = distance > 0 ? 1.0 : (distance < 0 ? -1.0 : 0.0);
        result[order[rank]] = sign * static_cast<double>(rank + 1);
    }
    return result;
}

/// Sums of `group` neighbours each; what is left over at the end is dropped.
std::vector<double> grouped(const std::vector<double>& series, std::size_t group) {
    std::vector<double> sums(series.size() / group);
    for (std::size_t i = 0; i < sums.size() * group; ++i) {
        sums[i / group] += series[i];
    }
    return sums;
}

double mean_square(const std::vector<double>& series) {
    return std::inner_product(series.begin(), series.end(), series.begin(), 0.0) /
           static_cast<double>(series.size());
}

/// The power of a series at one frequency.
struct Line {
    double cosine;  ///< of 2 pi times the frequency
    double power;
};

/// The lines at the frequencies j/n, 0 < j <= n/2.
std::vector<Line> spectrum(const std::vector<double>& series) {
    const auto n = static_cast<double>(series.size());
    std::vector<Line> lines(series.size() / 2);
    for (std::size_t j = 1; j <= lines.size(); ++j) {
        const auto turn = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j) / n);
        std::complex<double> phase = 1;
        std::complex<double> sum = 0;
        for (const double value : series) {
            sum += value * phase;
            phase *= turn;
        }
        lines[j - 1] = {turn.real(), std::norm(sum) / n};
    }
    return lines;
}

/// A part of the variance that each replicate draws anew, and a part that it keeps from the one
/// before it in the measure of `memory`.
struct Model {
    double share;   ///< of the variance that has a memory
    double memory;  ///< its correlation from one replicate to the next

    [[nodiscard]] double density(double cosine) const {
        return 1 - share +
               share * (1 - memory * memory) / (1 - 2 * memory * cosine + memory * memory);
    }
    /// Variance of the mean of n replicates against that of n independent ones.
    [[nodiscard]] double inflation(std::size_t n) const {
        const double count = static_cast<double>(n);
        const double sum = memory / (1 - memory) - memory * (1 - std::pow(memory, count)) /
                                                       (count * (1 - memory) * (1 - memory));
        return 1 + 2 * share * sum;
    }
    /// Log-likelihood by Whittle's approximation, the scale left open (Jeffreys' prior).
    [[nodiscard]] double fits(const std::vector<Line>& lines) const {
        double logs = 0;
        double scale = 0;
        for (const Line& line : lines) {
            const double expected = density(line.cosine);
            logs += std::log(expected);
            scale += line.power / expected;
        }
        return -logs - static_cast<double>(lines.size()) * std::log(scale);
    }
};

/// The chance that a normal variable of this standard deviation lies further than `distance` from
/// its mean.
double beyond(double distance, double deviation) {
    return std::erfc(distance / deviation / std::numbers::sqrt2);
}

/// What that part of the prior is spread over; the rest is that nothing is remembered.
constexpr std::array shares{0.15, 0.3, 0.5, 0.75, 1.0};
constexpr std::array memories{0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98};
constexpr double prior_of_memory = 0.3;

}  // namespace

Correlation::Correlation(std::span<const double> effects, double centre) : possible_{{1, 1}} {
    constexpr std::size_t too_few_to_tell = 8;
    // A longer series is looked at in groups of neighbours: a pass over it for each frequency would
    // take too long, and its slow part is what matters.
    constexpr std::size_t longest = 1024;
    const std::size_t n = effects.size();
    const std::vector<double> series = scores(effects, centre);
    if (n < too_few_to_tell || mean_square(series) == 0) {
        return;
    }
    const std::size_t group = (n + longest - 1) / longest;
    const std::vector<double> sums = grouped(series, group);
    // What the sums' squares exceed their members' by is the inflation within a group.
    const double within = mean_square(sums) / (mean_square(series) * static_cast<double>(group));
    const std::vector<Line> lines = spectrum(sums);
    constexpr double even = prior_of_memory / (shares.size() * memories.size());
    const double nothing = Model{0, 0}.fits(lines);
    possible_ = {{1 - prior_of_memory, std::max(1.0, within)}};
    for (const double share : shares) {
        for (const double memory : memories) {
            const Model model{share, memory};
            possible_.push_back({even * std::exp(model.fits(lines) - nothing),
                                 std::max(1.0, within * model.inflation(sums.size()))});
        }
    }
    double sum = 0;
    for (const Possibility& possibility : possible_) {
        sum += possibility.weight;
    }
    for (Possibility& possibility : possible_) {
        possibility.weight /= sum;
    }
    constexpr double out_of_the_question = 1e-7;
    std::erase_if(possible_, [](const Possibility& possibility) {
        return possibility.weight < out_of_the_question;
    });
}

double Correlation::stretch(double level) const {
    const auto chance = [&](double distance) {
        double sum = 0;
        for (const auto& [weight, inflation] : possible_) {
            sum += weight * beyond(distance, std::sqrt(inflation));
        }
        return sum;
    };
    const double usual =
        boost::math::quantile(boost::math::complement(boost::math::normal(), level / 2));
    double near = usual;
    double far =
        usual * std::sqrt(std::ranges::max(possible_, {}, &Possibility::inflation).inflation);
    constexpr int halvings = 20;
    for (int step = 0; step < halvings; ++step) {
        const double middle = (near + far) / 2;
        (chance(middle) > level ? near : far) = middle;
    }
    return far / usual;
}

}  // namespace kerntoll::lab::stats
