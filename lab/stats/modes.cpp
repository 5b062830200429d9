// SPDX-License-Identifier: MIT
// Modes: the times are cut at their widest gaps, and the largest number of cuts is taken after
// which all neighbouring groups are clearly separated. They are where
//   * each holds at least a tenth of the replicates, and four;
//   * their centres lie at least `least_distance` apart, relative to the time itself;
//   * that is at least `least_separation` times the wider group's robust standard deviation (the
//   two
//     halves of one Gaussian come to 2.3, of a uniform distribution to 2.7, an exponential tail to
//     2.8 against its body);
//   * the middle half of the way between the centres is nearly empty.
#include <algorithm>
#include <cmath>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {
namespace {

constexpr double least_distance = 0.005;
constexpr double least_separation = 6;
constexpr std::size_t most_modes = 5;  // more cannot be told from the replicates of one run

/// Of log-times in ascending order.
struct Group {
    double centre = 0;
    double deviation = 0;  ///< 1.4826 times the median distance from the centre
};

Group describe(std::span<const double> ascending) {
    Group group{median(ascending), 0};
    std::vector<double> distances(ascending.size());
    std::ranges::transform(ascending, distances.begin(),
                           [&](double value) { return std::abs(value - group.centre); });
    group.deviation = 1.4826 * median(distances);
    return group;
}

bool clearly_separated(std::span<const double> lower, std::span<const double> upper) {
    const Group low = describe(lower);
    const Group high = describe(upper);
    const double distance = high.centre - low.centre;
    if (distance < least_distance ||
        distance < least_separation * std::max(low.deviation, high.deviation)) {
        return false;
    }
    const auto above = std::ranges::count_if(
        lower, [&](double value) { return value > low.centre + distance / 4; });
    const auto below = std::ranges::count_if(
        upper, [&](double value) { return value < high.centre - distance / 4; });
    return static_cast<double>(above + below) <=
           0.05 * static_cast<double>(lower.size() + upper.size());
}

/// Where to cut, widest gap first; a gap that would leave a group too small is passed over.
std::vector<std::size_t> widest_gaps(std::span<const double> ascending, std::size_t least_members) {
    std::vector<std::size_t> places;
    for (std::size_t i = least_members; i + least_members <= ascending.size(); ++i) {
        places.push_back(i);
    }
    std::ranges::sort(places, std::ranges::greater{},
                      [&](std::size_t i) { return ascending[i] - ascending[i - 1]; });
    std::vector<std::size_t> cuts;
    for (const std::size_t place : places) {
        const bool clear = std::ranges::all_of(cuts, [&](std::size_t cut) {
            return std::max(cut, place) - std::min(cut, place) >= least_members;
        });
        if (clear && cuts.size() + 1 < most_modes) {
            cuts.push_back(place);
        }
    }
    return cuts;
}

std::vector<std::span<const double>> cut_at(std::span<const double> ascending,
                                            std::vector<std::size_t> cuts) {
    std::ranges::sort(cuts);
    std::vector<std::span<const double>> groups;
    std::size_t start = 0;
    for (const std::size_t cut : cuts) {
        groups.push_back(ascending.subspan(start, cut - start));
        start = cut;
    }
    groups.push_back(ascending.subspan(start));
    return groups;
}

}  // namespace

std::vector<Mode> modes(std::span<const double> ns_per_op) {
    std::vector<double> logs;
    logs.reserve(ns_per_op.size());
    for (const double ns : ns_per_op) {
        logs.push_back(std::log(ns));
    }
    std::ranges::sort(logs);
    const std::size_t least_members = std::max<std::size_t>(4, (logs.size() + 9) / 10);
    for (std::vector<std::size_t> cuts = widest_gaps(logs, least_members); !cuts.empty();
         cuts.pop_back()) {
        const auto groups = cut_at(logs, cuts);
        const auto touching = std::ranges::adjacent_find(
            groups, [](auto low, auto high) { return !clearly_separated(low, high); });
        if (touching == groups.end()) {
            std::vector<Mode> result;
            result.reserve(groups.size());
            for (const auto group : groups) {
                result.push_back({std::exp(median(group)), group.size()});
            }
            return result;
        }
    }
    return {};
}

}  // namespace kerntoll::lab::stats
