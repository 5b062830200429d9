// SPDX-License-Identifier: MIT
// What --fail-if can ask for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::cli {

/// One condition: it holds when any row of the table has the verdict ("slower"), or when any row
/// has another one ("not-equivalent").
struct Condition {
    lab::stats::Verdict verdict = lab::stats::Verdict::slower;
    bool negated = false;

    [[nodiscard]] bool holds(std::span<const lab::stats::Verdict> rows) const;
    [[nodiscard]] std::string text() const;
};

/// Takes "slower" or "slower,not-equivalent" apart. Fault::usage names the words there are.
[[nodiscard]] lab::Result<std::vector<Condition>> parse_conditions(std::string_view text);

}  // namespace kerntoll::cli
