// SPDX-License-Identifier: MIT
// From paired batches to a verdict. Pure functions of numbers: no clock, no store, no target.
// An *effect* is log(change / base) of time per op; percent are made of it only for printing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// The chance that a table of comparisons without any difference holds a `faster` or `slower`: the
/// level that Holm's adjusted p-values are held against. Stricter than the 95 % interval, because
/// an A/A run must stay silent also where the time is out before the precision is reached.
inline constexpr double family_level = 0.0005;

/// The interval that says nothing.
inline constexpr Interval unbounded{-std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::infinity()};

/// What a series of replicate effects says; by itself, nothing.
struct Estimate {
    std::size_t replicates = 0;
    double independent = 0;  ///< how many independent replicates these are worth, <= replicates
    double effect = 0;       ///< Hodges–Lehmann centre over replicates
    Interval interval95 = unbounded;  ///< stays so where there are too few replicates for one
    Interval interval99 = unbounded;
    double p_value = 1;  ///< two-sided, against no effect
    /// An effect of this size is told from none at family_level, also in a run whose replicates
    /// look ten times more like correlated ones; infinite without an interval.
    double critical = std::numeric_limits<double>::infinity();
};

/// The middle value (the mean of the two middle ones); `values` is not empty.
[[nodiscard]] double median(std::span<const double> values);

/// What a batch of one replicate takes while nothing disturbs it: the lower quartile of its blocks'
/// values (interpolated, Hyndman and Fan's definition 7), which are not empty. Interrupts,
/// neighbours and a host's other guests only ever add; up to three quarters of the blocks may be
/// disturbed, and no single short one decides.
[[nodiscard]] double undisturbed(std::span<const double> values);

/// log of change over base, both undisturbed() over the blocks of one replicate (ns per op; not
/// empty).
[[nodiscard]] double replicate_effect(std::span<const double> base, std::span<const double> change);

/// Centre and intervals over replicates, in the order in which they were measured; widened where
/// successive replicates are correlated. The centre is Hodges and Lehmann's (Ann. Math. Stat. 34,
/// 1963: the median of all pairwise averages), the intervals invert Wilcoxon's signed-rank test
/// (Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 3.1-3.3), p measures the distance
/// from zero in the interval's own width against Student's t (the test's own p cannot become small
/// after a few replicates, however large the effect); why these: docs/statistics.md. Fewer than 6
/// replicates have no 95 % interval, fewer than 8 no 99 % one.
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

/// The verdict, in this order of precedence:
/// 1. `untrusted`: the machine misbehaved, or the control's 99 % interval lies outside ±margin;
/// 2. `equivalent`: the 95 % interval lies inside ±margin, even where it excludes zero;
/// 3. `layout-like`: the 95 % interval lies inside the placebos' reach (placebo_reach()), or what
///    would be `faster` or `slower` is not clear of that reach, or fixed images with equal
///    instruction counts differ in time;
/// 4. `faster`, `slower`: the 95 % interval excludes zero and adjusted_p <= family_level;
/// 5. `undecided`.
[[nodiscard]] Decision decide(const Evidence& evidence);

/// Where one more layout of the same code would come to lie: the 95 % prediction interval (Hahn and
/// Meeker, Statistical Intervals, 4.8) for one draw after the base, which stands at zero, and the
/// placebos; stretched to hold every placebo's own 95 % interval. A single placebo reaches far
/// (about eleven times its effect): two layouts say little of what a third may do.
[[nodiscard]] Interval placebo_reach(std::span<const Estimate> placebos);

/// Holm's adjusted p-values (Scand. J. Stat. 6, 1979), in the order given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

/// Whether to stop: every half-width is at most `precision`, and every estimate is worth at least
/// so many independent replicates, times the root of the variance's inflation where they are
/// correlated (few correlated replicates look alike, and narrow, by luck). Looks at widths and
/// numbers only, never at significance.
[[nodiscard]] bool precise_enough(std::span<const Estimate> estimates, double precision,
                                  std::size_t least_replicates);

/// Share (0…1) of the variance of one block's log-difference that lies between replicates (layout,
/// boot) and not within them: the intraclass correlation of a one-way random-effects model, by
/// analysis of variance (Searle, Casella, McCulloch: Variance Components, 3.6). Nothing where it
/// cannot be told: fewer than two replicates, one block each, or no variance at all.
[[nodiscard]] std::optional<double> between_share(
    std::span<const std::vector<double>> differences_by_replicate);

/// The smallest effect (log-ratio, above zero) that a run of this many replicates with this spread
/// tells from none in 95 of 100 runs, at family_level; infinite where the interval is.
[[nodiscard]] double smallest_detectable(const Estimate& estimate);

/// How many replicates would be precise_enough(), if spread and correlation stay what they were so
/// far (the width falls with the root of their number); nothing where there is no interval yet.
[[nodiscard]] std::optional<std::size_t> replicates_needed(const Estimate& estimate,
                                                           double precision,
                                                           std::size_t least_replicates);

/// One group that the per-replicate times of an arm fall into.
struct Mode {
    double centre = 0;        ///< median, ns per op
    std::size_t members = 0;  ///< replicates
};

/// The groups, ascending by centre; empty unless there are at least two clearly separated ones
/// ("two layouts: 103 ns and 127 ns"). Clearly: see modes.cpp; one heap with long tails, a drift or
/// a few stray replicates are no modes.
[[nodiscard]] std::vector<Mode> modes(std::span<const double> ns_per_op);

}  // namespace kerntoll::lab::stats
