// SPDX-License-Identifier: MIT
// The coverage study: many runs per machine, and the criteria that they are held to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/coverage/machines.hpp"
#include "lab/base/error.hpp"

namespace kerntoll::bench {

/// What many runs of one machine and one true effect came to. Counts are of runs.
struct Tally {
    std::size_t runs = 0;
    std::size_t covered = 0;  ///< the 95 % interval holds the true effect
    std::size_t precise = 0;  ///< stopped on precision
    std::size_t differs = 0;  ///< verdict `faster` or `slower`
    std::size_t equivalent = 0;
    std::size_t untrusted = 0;
    std::size_t found = 0;  ///< verdict `slower`, among the precise ones
    double mean_replicates = 0;
    double median_half_width = 0;  ///< log-ratio
};

/// One machine's row: measured against itself, and against itself made 1 % slower.
struct Row {
    Machine machine;
    Tally same;
    Tally planted;
    std::vector<std::string> failures;  ///< criteria that do not hold, one sentence each
};

/// The least number of covering runs of `runs` that is not significantly (one-sided, 0.001) below
/// what the standard asks for.
[[nodiscard]] std::size_t least_covered(std::size_t runs, Standard standard);

/// `runs` runs of each kind on every one of `all` whose name starts with `only`, on `threads`
/// threads; the same for the same seed and the same place in `all`.
[[nodiscard]] lab::Result<std::vector<Row>> study(std::span<const Machine> all, std::size_t runs,
                                                  std::uint64_t seed, unsigned threads,
                                                  std::string_view only);

/// The table as Markdown.
[[nodiscard]] std::string render(const std::vector<Row>& rows);

}  // namespace kerntoll::bench
