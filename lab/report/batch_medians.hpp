// SPDX-License-Identifier: MIT
// Medians over replicates of what a batch may hold beside its time: counter ticks and hardware
// counters per op. Of a complete replicate only one figure is kept, so that a run of millions of
// batches takes little memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "lab/stats/stats.hpp"

namespace kerntoll::lab::report {

/// One quantity of one arm and workload.
class BatchMedians {
public:
    /// Adds one batch of the replicate under way.
    void add(std::uint64_t amount, std::uint64_t ops) {
        open_.push_back(static_cast<double>(amount) / static_cast<double>(ops));
        least_ = std::min(least_, amount);
    }
    /// The replicate under way is complete.
    void close() {
        if (!open_.empty()) {
            figures_.push_back(stats::undisturbed(open_));
            open_.clear();
        }
    }
    /// The median over replicates, where there is one.
    [[nodiscard]] std::optional<double> per_op() const {
        return figures_.empty() ? std::nullopt : std::optional(stats::median(figures_));
    }
    /// The smallest amount that one batch had.
    [[nodiscard]] std::uint64_t least() const { return least_; }

private:
    std::vector<double> open_;
    std::vector<double> figures_;  ///< of complete replicates
    std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace kerntoll::lab::report
