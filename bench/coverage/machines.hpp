// SPDX-License-Identifier: MIT
// The simulated machines that the statistics are held to.
#pragma once

#include <span>
#include <string_view>

namespace kerntoll::bench {

/// How much a machine's 95 % intervals must cover.
enum class Standard {
    independent,  ///< replicates know nothing of each other: 94 %
    related,      ///< replicates are correlated, or the machine steps: 90 %
};

struct Machine {
    std::string_view name;
    Standard standard = Standard::independent;
    std::string_view options;  ///< of `sim:`, beside ns
};

[[nodiscard]] std::span<const Machine> machines();

}  // namespace kerntoll::bench
