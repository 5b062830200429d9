// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace kerntoll::lab::stats {

/// How strongly successive replicates may be correlated, as far as they tell: models of it, each
/// with its plausibility. A model is a share of the variance that is remembered from one replicate
/// to the next, and how well; seen through the periodogram of the signed-rank scores, which no
/// stray replicate dominates. Few replicates cannot exclude a slow memory, so intervals and p hold
/// for what may be and not for one guess (docs/statistics.md).
class Correlation {
public:
    /// `effects` in the order in which they were measured. Fewer than 8 cannot tell anything: they
    /// are taken as independent.
    Correlation(std::span<const double> effects, double centre);

    struct Possibility {
        double weight = 1;     ///< the plausibility; they sum to one
        double inflation = 1;  ///< of the centre's variance, against independent replicates
    };
    [[nodiscard]] const std::vector<Possibility>& possible() const { return possible_; }
    /// By how much the reach of an interval that misses with chance `level` (0…1) must be
    /// stretched.
    [[nodiscard]] double stretch(double level) const;

private:
    std::vector<Possibility> possible_;
};

}  // namespace kerntoll::lab::stats
