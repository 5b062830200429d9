// SPDX-License-Identifier: MIT
// The batches of one run as the numbers that the statistics work on: who was measured beside whom.
// Both the experiment (to know when to stop) and the report (to draw any table again from the
// store) feed one, so that they cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kerntoll::lab::stats {

/// Times of one replicate, per workload and arm: one value per block, in block order. What a
/// replicate says is worked out once, when it is complete, so that looking after each one is cheap.
class Series {
public:
    Series(std::size_t arms, std::size_t workloads);

    /// Adds one batch (arm and workload below the numbers given to the constructor). Batches of one
    /// replicate may come in any order of arms and workloads, blocks in ascending order. A
    /// replicate counts only once complete() was called for it.
    void add(std::uint32_t replicate, std::uint32_t arm, std::uint32_t workload, double ns_per_op);
    void complete(std::uint32_t replicate);
    /// Forgets a replicate that will not be completed.
    void discard(std::uint32_t replicate);

    [[nodiscard]] std::size_t replicates() const;
    /// One value per complete replicate, in the order in which they were completed: the effect of
    /// `arm` against arm 0. A replicate in which one of the two is missing for this workload is
    /// left out.
    [[nodiscard]] const std::vector<double>& effects(std::uint32_t arm,
                                                     std::uint32_t workload) const;
    /// The blocks' log-differences per complete replicate, for between_share().
    [[nodiscard]] std::vector<std::vector<double>> differences(std::uint32_t arm,
                                                               std::uint32_t workload) const;
    /// undisturbed() ns per op of each complete replicate, for modes() and the dots of the table.
    [[nodiscard]] const std::vector<double>& times(std::uint32_t arm, std::uint32_t workload) const;

private:
    using Blocks = std::vector<std::vector<double>>;  ///< [workload * arms + arm][block]
    /// What is kept of complete replicates, for one arm and workload.
    struct Column {
        std::vector<double> effects;
        std::vector<double> times;
        std::vector<double> differences;   ///< of all replicates, one after the other
        std::vector<std::uint32_t> pairs;  ///< how many of them belong to each replicate
    };
    std::size_t arms_;
    std::size_t workloads_;
    std::size_t replicates_ = 0;
    std::map<std::uint32_t, Blocks> open_;
    std::vector<Column> columns_;
};

}  // namespace kerntoll::lab::stats
