// SPDX-License-Identifier: MIT
// A report as text for a terminal, as Markdown for a mail or an issue, as JSON for scripts. All
// text that came from outside (targets, consoles, kernels) is made harmless on the way.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "lab/report/report.hpp"

namespace kerntoll::lab::report {

enum class Colour { off, on };

/// How text is laid out. The caller decides on colour (is it a terminal, is NO_COLOR set).
struct Style {
    std::size_t width = 100;  ///< columns; held between 80 and 120
    Colour colour = Colour::off;
};

/// The table of the run's command (compare, run or count) and the sentences under it.
[[nodiscard]] std::string to_text(const Report& report, const Style& style);
[[nodiscard]] std::string to_markdown(const Report& report);
/// docs/json.md describes it.
[[nodiscard]] std::string to_json(const Report& report);

/// The list of runs.
[[nodiscard]] std::string to_text(std::span<const store::RunSummary> runs, const Style& style);
[[nodiscard]] std::string to_markdown(std::span<const store::RunSummary> runs);
[[nodiscard]] std::string to_json(std::span<const store::RunSummary> runs);

}  // namespace kerntoll::lab::report
