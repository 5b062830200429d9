// SPDX-License-Identifier: MIT
#include "lab/stats/series.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::stats {

Series::Series(std::size_t arms, std::size_t workloads)
    : arms_(arms), workloads_(workloads), columns_(arms * workloads) {}

void Series::add(std::uint32_t replicate, std::uint32_t arm, std::uint32_t workload,
                 double ns_per_op) {
    Blocks& blocks = open_[replicate];
    blocks.resize(columns_.size());
    blocks[workload * arms_ + arm].push_back(ns_per_op);
}

void Series::complete(std::uint32_t replicate) {
    ++replicates_;
    const auto found = open_.find(replicate);
    if (found == open_.end()) {
        return;
    }
    const Blocks blocks = std::move(found->second);
    open_.erase(found);
    for (std::size_t workload = 0; workload < workloads_; ++workload) {
        const std::span<const double> base = blocks[workload * arms_];
        for (std::size_t arm = 0; arm < arms_; ++arm) {
            const std::span<const double> own = blocks[workload * arms_ + arm];
            if (own.empty()) {
                continue;
            }
            Column& column = columns_[workload * arms_ + arm];
            column.times.push_back(undisturbed(own));
            const std::size_t pairs = std::min(base.size(), own.size());
            if (pairs == 0) {
                continue;
            }
            column.effects.push_back(replicate_effect(base.first(pairs), own.first(pairs)));
            column.pairs.push_back(static_cast<std::uint32_t>(pairs));
            for (std::size_t block = 0; block < pairs; ++block) {
                column.differences.push_back(std::log(own[block] / base[block]));
            }
        }
    }
}

void Series::discard(std::uint32_t replicate) {
    open_.erase(replicate);
}

std::size_t Series::replicates() const {
    return replicates_;
}

const std::vector<double>& Series::effects(std::uint32_t arm, std::uint32_t workload) const {
    return columns_[workload * arms_ + arm].effects;
}

const std::vector<double>& Series::times(std::uint32_t arm, std::uint32_t workload) const {
    return columns_[workload * arms_ + arm].times;
}

std::vector<std::vector<double>> Series::differences(std::uint32_t arm,
                                                     std::uint32_t workload) const {
    const Column& column = columns_[workload * arms_ + arm];
    std::vector<std::vector<double>> result;
    result.reserve(column.pairs.size());
    auto next = column.differences.begin();
    for (const std::uint32_t pairs : column.pairs) {
        result.emplace_back(next, next + pairs);
        next += pairs;
    }
    return result;
}

}  // namespace kerntoll::lab::stats
