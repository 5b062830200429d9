// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {

std::optional<double> between_share(std::span<const std::vector<double>> differences_by_replicate) {
    double groups = 0;
    double values = 0;
    double squared_sizes = 0;
    double sum = 0;
    for (const auto& group : differences_by_replicate) {
        if (group.empty()) {
            continue;
        }
        const auto size = static_cast<double>(group.size());
        groups += 1;
        values += size;
        squared_sizes += size * size;
        for (const double difference : group) {
            sum += difference;
        }
    }
    if (groups < 2 || values <= groups) {
        return std::nullopt;
    }
    const double grand_mean = sum / values;
    double between = 0;
    double within = 0;
    for (const auto& group : differences_by_replicate) {
        if (group.empty()) {
            continue;
        }
        const auto size = static_cast<double>(group.size());
        double mean = 0;
        for (const double difference : group) {
            mean += difference / size;
        }
        between += size * (mean - grand_mean) * (mean - grand_mean);
        for (const double difference : group) {
            within += (difference - mean) * (difference - mean);
        }
    }
    const double mean_square_between = between / (groups - 1);
    const double mean_square_within = within / (values - groups);
    const double typical_size = (values - squared_sizes / values) / (groups - 1);
    const double variance_between =
        std::max(0.0, (mean_square_between - mean_square_within) / typical_size);
    const double variance = variance_between + mean_square_within;
    if (variance <= 0) {
        return std::nullopt;
    }
    return variance_between / variance;
}

}  // namespace kerntoll::lab::stats
