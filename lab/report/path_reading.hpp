// SPDX-License-Identifier: MIT
// What count, path and time of one row say together. Nothing here attributes time to instructions:
// where the two disagree there is a hypothesis, and a command that tests it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/report/report.hpp"

namespace kerntoll::lab::report {

struct PathReading {
    const store::PathRecord* base = nullptr;  ///< never null; of the row, which must live as long
    const store::PathRecord* change = nullptr;
    bool same = false;  ///< the same instructions in the same order
    /// Instructions per op of the change less the base's: by counts, else of the recorded call.
    double instructions = 0;
    /// Fewer instructions and yet slower, or more and yet faster.
    bool disagree = false;
    /// Where they disagree: what the slower path has more of, "indirect branches 2 → 3", from A to
    /// B.
    std::vector<std::string> suspects = {};
    /// Where they disagree: commands for bare metal that runs A's or B's kernel. One, or one for A
    /// and one for B where their targets ask for different treatments.
    std::vector<std::string> test_commands = {};
};

/// Nothing where not both paths were recorded.
[[nodiscard]] std::optional<PathReading> read_path(const Report& report, const Row& row);

/// What became of the path, in sentences; empty where there are not both.
[[nodiscard]] std::vector<std::string> path_sentences(const Report& report, const Row& row);

/// The command that shows the whole difference of a row's paths.
[[nodiscard]] std::string explain_command(const Report& report, const Row& row);

}  // namespace kerntoll::lab::report
