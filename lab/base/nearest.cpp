// SPDX-License-Identifier: MIT
#include "lab/base/nearest.hpp"

#include <algorithm>
#include <vector>

namespace kerntoll::lab {

namespace {

/// Inserted, dropped, changed and exchanged characters (optimal string alignment): table[i][j] is
/// the distance of the first i characters from the first j.
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector table(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
    for (std::size_t i = 0; i <= from.size(); ++i) {
        for (std::size_t j = 0; j <= to.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const std::size_t changed = table[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, changed});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[from.size()][to.size()];
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
