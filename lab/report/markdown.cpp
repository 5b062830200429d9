// SPDX-License-Identifier: MIT
// The table for a mail, an issue or a pull request.
#include <fmt/format.h>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/plain.hpp"
#include "lab/report/render.hpp"
#include "lab/report/table.hpp"

namespace kerntoll::lab::report {
namespace {

std::string table_text(const Table& table) {
    std::string text;
    for (const Column& column : table.columns) {
        text += fmt::format("| {} ", markdown_text(column.header));
    }
    text += "|\n";
    for (const Column& column : table.columns) {
        text += column.align == Align::right ? "|---:" : "|---";
    }
    text += "|\n";
    for (const TableRow& row : table.rows) {
        for (std::size_t column = 0; column < row.cells.size(); ++column) {
            const std::string cell = markdown_text(row.cells[column]);
            text +=
                fmt::format("| {} ", table.verdict_column == column ? "**" + cell + "**" : cell);
        }
        text += "|\n";
    }
    return text;
}

/// A point of a list, as narrow as a commit message; a word that is wider stays whole, since it may
/// be a command's.
std::string bullet(const std::string& markdown) {
    constexpr std::size_t widest = 72;
    std::string text;
    for (const std::string& line : wrap(markdown, widest - 2)) {
        text += (text.empty() ? "* " : "  ") + line + "\n";
    }
    return text;
}

/// The console of a machine that failed, fenced with more backticks than it can hold in a row.
std::string console_text(const std::vector<std::string>& console) {
    std::string lines;
    for (const std::string& line : console) {
        lines += "  " + harmless(line) + "\n";
    }
    std::string fence = "```";
    while (lines.contains(fence)) {
        fence += '`';
    }
    return fmt::format("\n  {}\n{}  {}\n", fence, lines, fence);
}

}  // namespace

std::string to_markdown(const Report& report) {
    std::string text;
    for (const auto& arm : report.run.run.arms) {
        if (arm.role != store::Role::control) {
            text += fmt::format("* {}: {}{}\n", label(report.run.run, arm.index),
                                markdown_code(arm.target),
                                arm.role == store::Role::placebo ? " (placebo)" : "");
        }
    }
    const Table table = table_of(report);
    text += "\n" + table_text(table) + "\n";
    for (const TableRow& row : table.rows) {
        if (!row.details.empty()) {
            std::string details;
            for (const std::string& detail : row.details) {
                details += (details.empty() ? "" : " · ") + markdown_text(detail);
            }
            text += bullet(markdown_text(row.cells.front()) + ": " + details);
        }
    }
    for (const Note& note : notes(report)) {
        text += bullet(markdown_text(note.text));
        if (!note.console.empty()) {
            text += console_text(note.console);
        }
    }
    return text;
}

}  // namespace kerntoll::lab::report
