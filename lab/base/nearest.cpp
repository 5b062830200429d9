// SPDX-License-Identifier: MIT
#include "lab/base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kerntoll::lab {

namespace {

/// Levenshtein's distance, one row of the table at a time.
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t changed = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
    std::optional<std::string_view> best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        if (const std::size_t away = distance(word, candidate); away < least) {
            least = away;
            best = candidate;
        }
    }
    return best;
}

}  // namespace kerntoll::lab
