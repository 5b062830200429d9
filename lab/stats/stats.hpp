// SPDX-License-Identifier: MIT
// From paired batches to a verdict. Pure functions of numbers: no clock, no store, no target.
// An *effect* is log(change / base) of time per op; percent are made of it only for printing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::lab::stats {

struct Interval {
    double low = 0;
    double high = 0;
    [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

/// What a series of replicate effects says.
struct Estimate {
    std::size_t replicates = 0;
    double effect = 0;    ///< robust centre over replicates
    Interval interval95;  ///< unbounded (infinite) where there are too few replicates for one
    Interval interval99;
    double p_value = 1;  ///< two-sided, against no effect
};

/// Robust centre of the paired log-differences of one replicate's blocks (base[i] and change[i] are
/// ns per op of block i; sizes equal and not zero).
[[nodiscard]] double replicate_effect(std::span<const double> base, std::span<const double> change);

/// Centre and intervals over replicates, in the order in which they were measured; widened where
/// successive replicates are correlated.
[[nodiscard]] Estimate estimate(std::span<const double> effects);

enum class Verdict { faster, slower, equivalent, layout_like, undecided, untrusted };
/// "faster", …, "layout-like": the words used everywhere.
[[nodiscard]] std::string_view name(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_from_name(std::string_view text);

/// Everything a verdict depends on.
struct Evidence {
    Estimate change;
    Estimate control;
    std::vector<Estimate> placebos;
    bool fixed_images = false;         ///< scope `images`
    std::optional<bool> equal_counts;  ///< instructions per op equal on both sides, where counted
    double adjusted_p = 1;             ///< change.p_value after Holm over the table
    double margin = 0.005;             ///< as a log-ratio
    std::optional<std::string> misbehaved;  ///< a reason not to trust the machine, found elsewhere
};

struct Decision {
    Verdict verdict = Verdict::undecided;
    bool layout_untested = false;  ///< faster or slower of fixed images without placebos
    std::string reason;            ///< one sentence: what decided
};

/// Precedence as in docs/design.md, Measuring 2 and 5.
[[nodiscard]] Decision decide(const Evidence& evidence);

/// Holm's adjusted p-values (Holm 1979), in the order given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

/// Whether to stop, looked at after each replicate: looks at widths and the number of replicates
/// only, never at significance.
[[nodiscard]] bool precise_enough(std::span<const Estimate> estimates, double precision,
                                  std::size_t least_replicates);

/// Share (0…1) of the variance of one block's log-difference that lies between replicates (layout,
/// boot) and not within them; nothing where it cannot be told.
[[nodiscard]] std::optional<double> between_share(
    std::span<const std::vector<double>> differences_by_replicate);

/// The smallest effect that a run of this many replicates with this spread finds with 95 % power.
[[nodiscard]] double smallest_detectable(const Estimate& estimate);

/// How many replicates would bring the half-width to `precision`, from what was seen so far.
[[nodiscard]] std::size_t replicates_needed(const Estimate& estimate, double precision);

/// Groups that the per-replicate times of one arm fall into; empty unless there are at least two
/// clearly separated ones ("two layouts: 103 ns and 127 ns").
struct Mode {
    double centre = 0;
    std::size_t members = 0;
};
[[nodiscard]] std::vector<Mode> modes(std::span<const double> ns_per_op);

}  // namespace kerntoll::lab::stats
