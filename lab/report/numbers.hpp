// SPDX-License-Identifier: MIT
// Numbers as they are printed: with as many digits as their intervals support.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/report/report.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::lab::report {

/// Decimals that show one or two digits of this uncertainty, 0 to 3; one where it is not known.
[[nodiscard]] int decimals_for(double uncertainty);

/// A log-ratio in percent: 100 * (exp(x) - 1).
[[nodiscard]] double percent_of(double log_ratio);

/// "+3.42 %", with as many digits as the estimate's interval supports; "-" without replicates.
[[nodiscard]] std::string effect_text(const stats::Estimate& estimate);
/// "[+3.27, +3.57]", the 95 % interval in percent; "-" where there are too few replicates for one.
[[nodiscard]] std::string interval_text(const stats::Estimate& estimate);
/// "+3.42 % [+3.27, +3.57]": with the 95 % interval, where there are replicates enough for one.
[[nodiscard]] std::string effect_and_interval_text(const stats::Estimate& estimate);
/// "0.31 %", without a sign: two digits of a log-ratio that is a size; "-" where it is infinite.
[[nodiscard]] std::string size_text(double log_ratio);

/// ns per op of arms that stand side by side, with the decimals that the least certain supports.
[[nodiscard]] std::vector<std::string> ns_texts(std::span<const Figures* const> figures);

/// "[102.1, 102.6]": the 95 % interval of one arm's ns per op; "-" without one.
[[nodiscard]] std::string ns_interval_text(const Figures& figures);

/// Instructions per op: whole where it is whole.
[[nodiscard]] std::string count_text(double instructions);
/// "-39 (-11.21 %)"; "same" where there is no difference.
[[nodiscard]] std::string count_difference_text(double base, double change);

/// "31 s", "9 min", "2.5 h", "4 days".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace kerntoll::lab::report
