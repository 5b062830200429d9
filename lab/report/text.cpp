// SPDX-License-Identifier: MIT
// The table for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/plain.hpp"
#include "lab/report/render.hpp"
#include "lab/report/table.hpp"
#include "lab/report/terminal.hpp"

namespace kerntoll::lab::report {
namespace {

using stats::Verdict;
using store::ArmRecord;
using store::Role;

constexpr std::size_t gap = 2;
constexpr std::size_t strip_width = 40;

const char* colour_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::faster:
            return "1;32";
        case Verdict::slower:
            return "1;31";
        case Verdict::equivalent:
            return "1;36";
        case Verdict::untrusted:
            return "1;35";
        case Verdict::layout_like:
        case Verdict::undecided:
            return "1;33";
    }
    return "0";
}

/// Lays one table out.
class Layout {
public:
    Layout(const Table& table, const Style& style) : table_(table), style_(style) { measure(); }

    [[nodiscard]] std::string text() const {
        std::string text = header();
        for (const TableRow& row : table_.rows) {
            text += line(row) + under(row);
        }
        return text;
    }

private:
    [[nodiscard]] bool kept(std::size_t column) const { return widths_[column] > 0; }

    /// Widths of the columns, and which of them must go under their rows for want of room.
    void measure() {
        for (std::size_t column = 0; column < table_.columns.size(); ++column) {
            std::size_t width = columns_of(table_.columns[column].header);
            for (const TableRow& row : table_.rows) {
                width = std::max(width, columns_of(harmless(row.cells[column])));
            }
            widths_.push_back(width);
        }
        for (std::size_t column = table_.columns.size(); column-- > 0;) {
            const std::size_t total =
                std::accumulate(widths_.begin(), widths_.end(), std::size_t{0}) +
                gap * static_cast<std::size_t>(
                          std::ranges::count_if(widths_,
                                                [](std::size_t width) { return width > 0; }) -
                          1);
            if (total <= style_.width) {
                break;
            }
            if (table_.columns[column].place == Place::may_move) {
                widths_[column] = 0;
            }
        }
    }

    [[nodiscard]] std::string aligned(std::size_t column, const std::string& cell) const {
        const std::size_t width = widths_[column];
        if (table_.columns[column].align == Align::left) {
            return pad_right(cell, width);
        }
        const std::size_t taken = columns_of(cell);
        return std::string(width > taken ? width - taken : 0, ' ') + cell;
    }

    [[nodiscard]] std::string header() const {
        std::string text;
        for (std::size_t column = 0; column < table_.columns.size(); ++column) {
            if (kept(column)) {
                text += (text.empty() ? "" : std::string(gap, ' ')) +
                        aligned(column, table_.columns[column].header);
            }
        }
        return paint(trimmed(text), bold, style_.colour) + "\n";
    }

    [[nodiscard]] std::string line(const TableRow& row) const {
        std::string text;
        for (std::size_t column = 0; column < row.cells.size(); ++column) {
            if (!kept(column)) {
                continue;
            }
            std::string cell = aligned(column, harmless(row.cells[column]));
            if (table_.verdict_column == column && row.verdict) {
                cell = paint(std::move(cell), colour_of(*row.verdict), style_.colour);
            } else if (table_.columns[column].weight == Weight::light) {
                cell = paint(std::move(cell), dim, style_.colour);
            }
            text += (text.empty() ? "" : std::string(gap, ' ')) + cell;
        }
        return trimmed(text) + "\n";
    }

    /// The line under a row: columns that had no room, details, then the strip of dots.
    [[nodiscard]] std::string under(const TableRow& row) const {
        const std::string indent(widths_.front() + gap, ' ');
        std::vector<std::string> facts;
        for (std::size_t column = 0; column < row.cells.size(); ++column) {
            if (!kept(column)) {
                facts.push_back(table_.columns[column].before + row.cells[column] +
                                table_.columns[column].after);
            }
        }
        facts.insert(facts.end(), row.details.begin(), row.details.end());
        std::string text;
        std::string line;
        for (const std::string& fact : facts) {
            if (!line.empty() &&
                indent.size() + columns_of(line) + 3 + columns_of(fact) > style_.width) {
                text += indent + paint(line, dim, style_.colour) + "\n";
                line.clear();
            }
            line += (line.empty() ? "" : " · ") + harmless(fact);
        }
        if (!line.empty()) {
            text += indent + paint(line, dim, style_.colour) + "\n";
        }
        if (row.dots) {
            if (const std::string dots = dots_text(*row.dots); !dots.empty()) {
                text += indent + dots + "\n";
            }
        }
        return text;
    }

    [[nodiscard]] static std::string dots_text(const DotValues& dots) {
        const auto drawn = strip(dots.values, strip_width, dots.zero);
        if (!drawn) {
            return {};
        }
        const auto end = [&](double value, double range) {
            if (dots.unit == DotValues::Unit::ns) {
                return fmt::format("{:.{}f} ns", value, decimals_for(range / 10));
            }
            return fmt::format("{:+.{}f} %", percent_of(value), decimals_for(10 * range));
        };
        const double range = drawn->high - drawn->low;
        return fmt::format("{} [{}] {}", end(drawn->low, range), drawn->dots,
                           end(drawn->high, range));
    }

    [[nodiscard]] static std::string trimmed(std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

    const Table& table_;
    const Style& style_;
    std::vector<std::size_t> widths_;  ///< 0: the column went under its rows
};

/// Which target each letter stands for.
std::string legend(const store::RunRecord& run, const Style& style) {
    std::size_t widest_label = 0;
    for (const ArmRecord& arm : run.arms) {
        if (arm.role != Role::control) {
            widest_label = std::max(widest_label, label(run, arm.index).size());
        }
    }
    std::string text;
    for (const ArmRecord& arm : run.arms) {
        if (arm.role == Role::control) {
            continue;
        }
        text += fmt::format(
            "{}  {}{}\n", paint(pad_right(label(run, arm.index), widest_label), bold, style.colour),
            harmless(arm.target), arm.role == Role::placebo ? "  (placebo)" : "");
    }
    return text;
}

std::string notes_text(const Report& report, const Style& style) {
    std::string text;
    std::optional<Note::Kind> kind;
    for (const Note& note : notes(report)) {
        if (kind && note.kind != *kind) {
            text += "\n";
        }
        kind = note.kind;
        const bool light = note.kind == Note::Kind::fact || note.kind == Note::Kind::origin;
        std::string indent;
        for (const std::string& line : wrap(harmless(note.text), style.width - gap)) {
            text += indent + (light ? paint(line, dim, style.colour) : line) + "\n";
            indent = std::string(gap, ' ');
        }
        for (const std::string& line : note.console) {
            text += paint("  | " + harmless(line), dim, style.colour) + "\n";
        }
    }
    return text;
}

}  // namespace

std::string to_text(const Report& report, const Style& asked) {
    Style style = asked;
    style.width = std::clamp(asked.width, narrowest, widest);
    std::string text = legend(report.run.run, style);
    const Table table = table_of(report);
    if (!table.rows.empty()) {
        text += "\n" + Layout(table, style).text();
    }
    return text + "\n" + notes_text(report, style);
}

}  // namespace kerntoll::lab::report
