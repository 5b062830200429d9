// SPDX-License-Identifier: MIT
#include "lab/stats/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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

/// Autocorrelations of a series whose mean is zero.
class Autocorrelation {
public:
    explicit Autocorrelation(std::vector<double> series)
        : series_(std::move(series)), squares_(products(0)) {}
    [[nodiscard]] bool defined() const { return squares_ > 0; }
    [[nodiscard]] double squares() const { return squares_; }
    [[nodiscard]] double at(std::size_t lag) const { return products(lag) / squares_; }

private:
    [[nodiscard]] double products(std::size_t lag) const {
        double sum = 0;
        for (std::size_t i = lag; i < series_.size(); ++i) {
            sum += series_[i] * series_[i - lag];
        }
        return sum;
    }
    std::vector<double> series_;
    double squares_;
};

/// Sums of `group` neighbours each; what is left over at the end is dropped.
std::vector<double> grouped(const std::vector<double>& series, std::size_t group) {
    std::vector<double> sums(series.size() / group);
    for (std::size_t i = 0; i < sums.size() * group; ++i) {
        sums[i / group] += series[i];
    }
    return sums;
}

/// As if each replicate depended on the one before it and on nothing else.
double first_order(const Autocorrelation& correlation, double n) {
    // A short series reads its own correlation too low: Marriott and Pope (Biometrika 41, 1954).
    const double read = (n * correlation.at(1) + 1) / (n - 3);
    const double rho = std::clamp(read, 0.0, 0.95);
    return (1 + rho) / (1 - rho);
}

/// Whatever the order: the initial positive monotone sequence of Geyer (Statistical Science 7,
/// 1992, section 3.3), each autocorrelation raised by the 1/n that a short series reads too low.
double any_order(const Autocorrelation& correlation, std::size_t n) {
    const double bias = 1 / static_cast<double>(n);
    double before = std::numeric_limits<double>::infinity();
    double sum = -1;
    for (std::size_t lag = 0; lag + 1 < n / 2; lag += 2) {
        double pair = correlation.at(lag) + correlation.at(lag + 1) + (lag == 0 ? bias : 2 * bias);
        if (pair <= 0) {
            break;
        }
        pair = std::min(pair, before);
        before = pair;
        sum += 2 * pair;
    }
    return sum * static_cast<double>(n) / static_cast<double>(n - 3);
}

/// any_order() in bounded time. The correlation of a long series that drifts lasts for most of its
/// lags, each of which takes a pass; so it is looked at in groups of neighbours: what their sums'
/// squares exceed their members' by is the inflation within a group.
double any_order_in_groups(const std::vector<double>& series, const Autocorrelation& correlation) {
    constexpr std::size_t longest = 4096;
    if (series.size() <= longest) {
        return any_order(correlation, series.size());
    }
    const std::vector<double> sums = grouped(series, (series.size() + longest - 1) / longest);
    const Autocorrelation between(sums);
    return between.defined()
               ? between.squares() / correlation.squares() * any_order(between, sums.size())
               : 1;
}

}  // namespace

double variance_inflation(std::span<const double> effects, double centre) {
    constexpr std::size_t too_few_to_tell = 8;
    // Geyer's sum over fewer would read half of all independent series as strongly correlated.
    constexpr std::size_t enough_for_any_order = 20;
    const std::size_t n = effects.size();
    if (n < too_few_to_tell) {
        return 1;
    }
    const std::vector<double> series = scores(effects, centre);
    const Autocorrelation correlation(series);
    if (!correlation.defined()) {
        return 1;
    }
    const double first = first_order(correlation, static_cast<double>(n));
    return n < enough_for_any_order ? first
                                    : std::max(first, any_order_in_groups(series, correlation));
}

}  // namespace kerntoll::lab::stats
