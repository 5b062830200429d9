// SPDX-License-Identifier: MIT
#include "lab/stats/signed_rank.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace kerntoll::lab::stats {
namespace {

constexpr std::size_t largest_exact = 64;

/// Cumulative probabilities of T for every n up to largest_exact.
using Tables = std::array<std::vector<double>, largest_exact + 1>;

Tables make_tables() {
    Tables tables;
    std::vector<double> probability{1.0};
    for (std::size_t n = 0; n <= largest_exact; ++n) {
        if (n > 0) {
            // The rank n has a positive or a negative sign, each with probability one half.
            std::vector<double> next(probability.size() + n, 0.0);
            for (std::size_t t = 0; t < probability.size(); ++t) {
                next[t] += probability[t] / 2;
                next[t + n] += probability[t] / 2;
            }
            probability = std::move(next);
        }
        tables[n].resize(probability.size());
        double sum = 0;
        for (std::size_t t = 0; t < probability.size(); ++t) {
            sum += probability[t];
            tables[n][t] = sum;
        }
    }
    return tables;
}

const std::vector<double>& exact_table(std::size_t n) {
    static const Tables tables = make_tables();
    return tables[n];
}

double mean_of_statistic(std::size_t n) {
    const auto count = static_cast<double>(n);
    return count * (count + 1) / 4;
}

double deviation_of_statistic(std::size_t n) {
    const auto count = static_cast<double>(n);
    return std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
}

/// How many Walsh averages lie below a value, and how many do not lie above it.
struct Position {
    std::size_t below = 0;
    std::size_t not_above = 0;
};

/// The columns [first, last) of one row of the triangle of averages that are still candidates.
struct Row {
    std::size_t first = 0;
    std::size_t last = 0;
};

double average(double a, double b) {
    return (a + b) / 2;
}

/// Walks along the staircase that separates small averages from large ones; both boundaries move
/// monotonically with the row, so that one pass is O(n). Fills each row's boundaries.
Position locate(std::span<const double> x, double value, std::vector<Row>& boundaries) {
    Position position;
    std::size_t below = x.size();
    std::size_t not_above = x.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
        while (below > i && average(x[i], x[below - 1]) >= value) {
            --below;
        }
        while (not_above > i && average(x[i], x[not_above - 1]) > value) {
            --not_above;
        }
        const std::size_t below_end = std::max(below, i);
        const std::size_t not_above_end = std::max(not_above, i);
        position.below += below_end - i;
        position.not_above += not_above_end - i;
        boundaries[i] = {below_end, not_above_end};
    }
    return position;
}

/// The average that has `skipped` smaller ones among the candidates.
double pick(std::span<const double> x, const std::vector<Row>& rows, std::size_t candidates,
            std::size_t skipped) {
    std::vector<double> averages;
    averages.reserve(candidates);
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = rows[i].first; j < rows[i].last; ++j) {
            averages.push_back(average(x[i], x[j]));
        }
    }
    const auto wanted = averages.begin() + static_cast<std::ptrdiff_t>(skipped);
    std::ranges::nth_element(averages, wanted);
    return *wanted;
}

}  // namespace

double walsh_average(std::span<const double> ascending, std::size_t rank) {
    const std::size_t n = ascending.size();
    std::vector<Row> rows(n);
    std::vector<Row> boundaries(n);
    std::size_t candidates = 0;
    std::size_t ruled_out_below = 0;
    for (std::size_t i = 0; i < n; ++i) {
        rows[i] = {i, n};
        candidates += n - i;
    }
    // A fixed generator: the same data give the same steps, and no data defeat it by accident.
    std::uint64_t state = 0x9e3779b97f4a7c15U;
    // As few candidates as one pass looks at are dealt with faster one by one than by more passes.
    while (candidates > 2 * n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::size_t drawn = (state >> 33U) % candidates;
        std::size_t row = 0;
        while (drawn >= rows[row].last - rows[row].first) {
            drawn -= rows[row].last - rows[row].first;
            ++row;
        }
        const double pivot = average(ascending[row], ascending[rows[row].first + drawn]);
        const Position position = locate(ascending, pivot, boundaries);
        if (rank >= position.below && rank < position.not_above) {
            return pivot;
        }
        candidates = 0;
        ruled_out_below = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (rank < position.below) {
                rows[i].last = std::max(rows[i].first, std::min(rows[i].last, boundaries[i].first));
            } else {
                rows[i].first = std::min(rows[i].last, std::max(rows[i].first, boundaries[i].last));
            }
            candidates += rows[i].last - rows[i].first;
            ruled_out_below += rows[i].first - i;
        }
    }
    return pick(ascending, rows, candidates, rank - ruled_out_below);
}

std::optional<std::size_t> signed_rank_critical(std::size_t n, double tail) {
    if (n <= largest_exact) {
        const auto& table = exact_table(n);
        const auto above = std::upper_bound(table.begin(), table.end(), tail);
        if (above == table.begin()) {
            return std::nullopt;
        }
        return static_cast<std::size_t>(above - table.begin()) - 1;
    }
    const double z = boost::math::quantile(boost::math::normal(), tail);
    const double critical = mean_of_statistic(n) + z * deviation_of_statistic(n) - 0.5;
    if (critical < 0) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(critical);
}

}  // namespace kerntoll::lab::stats
