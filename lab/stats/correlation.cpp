// SPDX-License-Identifier: MIT
#include "lab/stats/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(effects[a] - centre) < std::abs(effects[b] - centre);
    });
    std::vector<double> result(effects.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double distance = effects[order[rank]] - centre;
        const double sign = distance > 0 ? 1.0 : (distance < 0 ? -1.0 : 0.0);
        result[order[rank]] = sign * static_cast<double>(rank + 1);
    }
    return result;
}

}  // namespace

double variance_inflation(std::span<const double> effects, double centre) {
    const std::size_t n = effects.size();
    if (n < 8) {
        return 1;
    }
    const std::vector<double> score = scores(effects, centre);
    double variance = 0;
    double covariance = 0;
    for (std::size_t i = 0; i < n; ++i) {
        variance += score[i] * score[i];
        if (i + 1 < n) {
            covariance += score[i] * score[i + 1];
        }
    }
    if (variance == 0) {
        return 1;
    }
    const auto count = static_cast<double>(n);
    // Marriott and Pope (Biometrika 1954): a short series reads its own correlation too low.
    const double rho = (count * covariance / variance + 1) / (count - 3);
    const double bounded = std::clamp(rho, 0.0, 0.95);
    return (1 + bounded) / (1 - bounded);
}

}  // namespace kerntoll::lab::stats
