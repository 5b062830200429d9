// SPDX-License-Identifier: MIT
#include "lab/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "lab/report/labels.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"

namespace kerntoll::lab::report {
namespace {

using store::Role;

std::string arrow(const std::string& base, const std::string& change) {
    return base == "-" && change == "-" ? "-" : fmt::format("{} → {}", base, change);
}

/// "ticks/op 266.2 → 393.4" and the hardware counters, for the line under a row.
std::vector<std::string> counter_details(std::span<const Figures* const> sides) {
    using Get = std::optional<double> (*)(const Figures&);
    constexpr std::array<std::pair<const char*, Get>, 5> quantities{{
        {"ticks/op", [](const Figures& side) { return side.ticks_per_op; }},
        {"kernel instructions/op", [](const Figures& side) { return side.counters.instructions; }},
        {"kernel cycles/op", [](const Figures& side) { return side.counters.cycles; }},
        {"branch misses/op", [](const Figures& side) { return side.counters.branch_misses; }},
        {"L1I misses/op", [](const Figures& side) { return side.counters.l1i_misses; }},
    }};
    std::vector<std::string> details;
    for (const auto& [what, get] : quantities) {
        std::string values;
        bool all = true;
        for (const Figures* side : sides) {
            const auto value = get(*side);
            all = all && value.has_value();
            values += (values.empty() ? "" : " → ") +
                      (value ? fmt::format("{:.{}f}", *value, *value < 10 ? 2 : 1) : "-");
        }
        if (all) {
            details.push_back(fmt::format("{} {}", what, values));
        }
    }
    return details;
}

bool any_count(const Report& report) {
    return !report.run.counts.empty();
}

std::string counts_cell(const Row& row) {
    if (!row.base.count || !row.change.count) {
        return "-";
    }
    const double base = row.base.count->instructions_per_op;
    const double change = row.change.count->instructions_per_op;
    return arrow(count_text(base), count_text(change)) + "  " + count_difference_text(base, change);
}

/// What stands beside the instructions where paths were recorded.
constexpr std::array path_columns{&store::Counts::calls, &store::Counts::taken,
                                  &store::Counts::code_lines};

bool any_path(const Report& report) {
    return std::ranges::any_of(report.rows,
                               [](const Row& row) { return row.base.path && row.change.path; });
}

std::string path_cell(const Row& row, std::uint64_t store::Counts::* count) {
    return row.base.path && row.change.path
               ? change_text(row.base.path->counts.*count, row.change.path->counts.*count)
               : "-";
}

Table comparison(const Report& report) {
    const store::RunRecord& run = report.run.run;
    const auto changes = std::ranges::count(run.arms, Role::change, &store::ArmRecord::role);
    const bool emulated = std::ranges::all_of(
        report.rows, [](const Row& row) { return row.grade == Grade::emulated; });
    const Weight time_weight = emulated ? Weight::light : Weight::normal;
    Table table;
    table.columns.push_back({"workload"});
    if (changes > 1) {
        table.columns.push_back({"change"});
    }
    if (any_count(report)) {
        table.columns.push_back({"instructions/op"});
    }
    if (any_path(report)) {
        for (const auto count : path_columns) {
            const std::string what(
                std::ranges::find(store::quantities(), count, &store::Quantity::count)->name);
            table.columns.push_back(
                {.header = what, .place = Place::may_move, .before = what + " "});
        }
    }
    table.columns.push_back({.header = "ns/op", .align = Align::right, .weight = time_weight});
    table.columns.push_back({.header = "effect", .align = Align::right, .weight = time_weight});
    table.columns.push_back({.header = "95 % interval",
                             .place = Place::may_move,
                             .before = "95 % interval ",
                             .weight = time_weight});
    table.verdict_column = table.columns.size();
    table.columns.push_back({"verdict"});
    table.columns.push_back({"replicates", Align::right, Place::may_move, "", " replicates"});
    table.columns.push_back({"scope", Align::left, Place::may_move});
    table.columns.push_back({"grade", Align::left, Place::may_move});
    for (const Row& row : report.rows) {
        TableRow cells;
        cells.cells.push_back(run.workloads[row.workload]);
        if (changes > 1) {
            cells.cells.push_back(label(run, row.change.arm));
        }
        if (any_count(report)) {
            cells.cells.push_back(counts_cell(row));
        }
        if (any_path(report)) {
            for (const auto count : path_columns) {
                cells.cells.push_back(path_cell(row, count));
            }
        }
        const std::array sides{&row.base, &row.change};
        const auto times = ns_texts(sides);
        cells.cells.push_back(arrow(times[0], times[1]));
        cells.cells.push_back(effect_text(row.estimate));
        cells.cells.push_back(interval_text(row.estimate));
        cells.cells.emplace_back(stats::name(row.decision.verdict));
        cells.cells.push_back(fmt::format("{}", row.estimate.replicates));
        cells.cells.emplace_back(name(row.scope));
        cells.cells.emplace_back(name(row.grade));
        cells.details = counter_details(sides);
        cells.dots = DotValues{row.effects, Zero::shown, DotValues::Unit::percent};
        cells.verdict = row.decision.verdict;
        table.rows.push_back(std::move(cells));
    }
    return table;
}

/// Where the replicates' times lie, with the decimals of another text.
std::string spread_text(const Figures& figures, std::string_view decimals_like) {
    if (figures.times.size() < 2) {
        return "-";
    }
    const auto point = decimals_like.find('.');
    const auto decimals =
        point == std::string_view::npos ? 0 : static_cast<int>(decimals_like.size() - point - 1);
    const auto [least, most] = std::ranges::minmax(figures.times);
    return fmt::format("{:.{}f} to {:.{}f}", least, decimals, most, decimals);
}

Table absolute(const Report& report) {
    const store::RunRecord& run = report.run.run;
    Table table;
    table.columns.push_back({"workload"});
    if (any_count(report)) {
        table.columns.push_back({"instructions/op", Align::right});
    }
    const bool emulated = !run.arms.empty() && run.arms[0].grade == Grade::emulated;
    const Weight time_weight = emulated ? Weight::light : Weight::normal;
    table.columns.push_back({.header = "ns/op", .align = Align::right, .weight = time_weight});
    table.columns.push_back({.header = "95 % interval", .weight = time_weight});
    table.columns.push_back({.header = "least to most", .weight = time_weight});
    table.columns.push_back({"replicates", Align::right, Place::may_move, "", " replicates"});
    table.columns.push_back({"grade", Align::left, Place::may_move});
    for (std::size_t workload = 0; workload < run.workloads.size() && !run.arms.empty();
         ++workload) {
        const Figures& figures = report.of(workload, 0);
        const std::array sides{&figures};
        const std::string time = ns_texts(sides)[0];
        TableRow cells;
        cells.cells.push_back(run.workloads[workload]);
        if (any_count(report)) {
            cells.cells.push_back(figures.count ? count_text(figures.count->instructions_per_op)
                                                : "-");
        }
        cells.cells.push_back(time);
        cells.cells.push_back(ns_interval_text(figures));
        cells.cells.push_back(spread_text(figures, time));
        cells.cells.push_back(fmt::format("{}", figures.times.size()));
        cells.cells.emplace_back(name(run.arms[0].grade));
        cells.details = counter_details(sides);
        cells.dots = DotValues{figures.times, Zero::left_out, DotValues::Unit::ns};
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table counts_only(const Report& report) {
    const store::RunRecord& run = report.run.run;
    Table table;
    table.columns.push_back({"workload"});
    table.columns.push_back({"target"});
    table.columns.push_back({"instructions/op", Align::right});
    table.columns.push_back({"of which loop", Align::right});
    if (run.arms.size() > 1) {
        table.columns.push_back({"against A"});
    }
    for (std::size_t workload = 0; workload < run.workloads.size(); ++workload) {
        for (std::size_t arm = 0; arm < run.arms.size(); ++arm) {
            const auto& count = report.of(workload, arm).count;
            const auto& base = report.of(workload, 0).count;
            TableRow cells;
            cells.cells.push_back(run.workloads[workload]);
            cells.cells.push_back(label(run, static_cast<std::uint32_t>(arm)));
            cells.cells.push_back(count ? count_text(count->instructions_per_op) : "-");
            cells.cells.push_back(count ? count_text(count->loop_instructions) : "-");
            if (run.arms.size() > 1) {
                cells.cells.push_back(arm > 0 && count && base
                                          ? count_difference_text(base->instructions_per_op,
                                                                  count->instructions_per_op)
                                          : "");
            }
            table.rows.push_back(std::move(cells));
        }
    }
    return table;
}

}  // namespace

Table table_of(const Report& report) {
    if (report.run.run.command == "count") {
        return counts_only(report);
    }
    return report.rows.empty() ? absolute(report) : comparison(report);
}

}  // namespace kerntoll::lab::report
