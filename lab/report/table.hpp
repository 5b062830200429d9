// SPDX-License-Identifier: MIT
// The table of a report as cells, before anybody lays it out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/report/dots.hpp"
#include "lab/report/report.hpp"

namespace kerntoll::lab::report {

enum class Align { left, right };
/// Whether a column may leave a table that is too wide for a line under its row.
enum class Place { fixed, may_move };
enum class Weight { normal, light };

struct Column {
    std::string header;
    Align align = Align::left;
    Place place = Place::fixed;
    std::string before = {};  ///< what surrounds the cell where it stands without its header
    std::string after = {};
    Weight weight = Weight::normal;
};

/// Values for a strip of dots under a row.
struct DotValues {
    std::vector<double> values;
    Zero zero = Zero::left_out;
    enum class Unit { percent, ns } unit = Unit::percent;
};

struct TableRow {
    std::vector<std::string> cells;
    std::vector<std::string> details;  ///< short facts for a line under the row
    std::optional<DotValues> dots = {};
    std::optional<stats::Verdict> verdict = {};
};

struct Table {
    std::vector<Column> columns;
    std::vector<TableRow> rows;
    std::optional<std::size_t> verdict_column = {};
};

/// The table of the run's command: compare, run or count.
[[nodiscard]] Table table_of(const Report& report);

}  // namespace kerntoll::lab::report
