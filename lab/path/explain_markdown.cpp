// SPDX-License-Identifier: MIT
#include "lab/path/explain_markdown.hpp"

#include <fmt/format.h>

#include "lab/path/explain_tables.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::path {
namespace {

/// Columns of a commit message: git log indents it by four of a terminal's 80 and leaves as many.
constexpr std::size_t widest = 72;
constexpr std::string_view indent = "    ";  // a code block to Markdown, a quotation to the eye
/// A commit message is no place for more.
constexpr std::size_t most_listed = 40;

std::string code_line(const std::string& text) {
    return std::string(indent) + shorten(text, widest - indent.size()) + "\n";
}

std::string code(const Grid& grid) {
    if (!grid.has_rows()) {
        return {};
    }
    std::string text = "\n";
    for (const std::string& line : grid.lines(widest - indent.size())) {
        text += std::string(indent) + line + "\n";
    }
    return text;
}

/// Wrapped Markdown; a word that is wider than a line loses its middle.
std::string paragraph(std::string_view first, const std::string& markdown) {
    std::string lines;
    const std::size_t room = widest - first.size();
    for (const std::string& line : report::wrap(markdown, room)) {
        lines += lines.empty() ? std::string(first) : std::string(first.size(), ' ');
        lines += shorten(line, room) + "\n";
    }
    return lines;
}

std::string remarks(std::string_view first, const Traced& traced) {
    std::string text;
    for (const std::string& remark : traced.remarks) {
        text += paragraph(first, report::markdown_text(remark));
    }
    return text;
}

std::string account(const Explanation& explanation) {
    using Kind = AccountLine::Kind;
    std::string text;
    for (const AccountLine& line : account_lines(explanation, most_listed)) {
        const char* mark = line.kind == Kind::function ? ""
                           : line.kind == Kind::went   ? "  - "
                           : line.kind == Kind::came   ? "  + "
                                                       : "  ";
        text += code_line(mark + report::harmless(line.text));
    }
    return text.empty() ? text : "\n" + text;
}

/// Every instruction of one path, with its function above.
std::string listing(const Anatomy& anatomy) {
    std::string text;
    std::optional<std::uint32_t> above;
    for (std::uint32_t at = 0; at < anatomy.steps.size(); ++at) {
        const std::uint32_t function = anatomy.steps[at].function;
        if (above != function) {
            text += code_line(report::harmless(anatomy.functions[function].name));
            above = function;
        }
        text += code_line("    " + report::harmless(disassembly(anatomy, at)));
    }
    return "\n" + text;
}

/// Every instruction of both paths, as a patch shows lines; side by side there is no room.
std::string listing(const Explanation& explanation) {
    const Anatomy& base = explanation.base.anatomy;
    const Anatomy& change = explanation.change.anatomy;
    std::string text;
    std::string above;
    for (const Pair& pair : explanation.difference.pairs) {
        const Anatomy& side = pair.base ? base : change;
        const std::uint32_t at = pair.base ? *pair.base : pair.change.value_or(0);
        const std::string& function = side.functions[side.steps[at].function].name;
        if (text.empty() || above != function) {
            text += code_line(report::harmless(function));
            above = function;
        }
        const char* mark = pair.base && pair.change ? "    " : pair.base ? "  - " : "  + ";
        text += code_line(mark + report::harmless(disassembly(side, at)));
    }
    return "\n" + text;
}

}  // namespace

std::string to_markdown(const Traced& traced, Listing list) {
    const Anatomy& anatomy = traced.anatomy;
    const std::string summary = fmt::format("{}: {} in {}", report::markdown_text(traced.workload),
                                            plural(anatomy.total.instructions, "instruction"),
                                            plural(anatomy.functions.size(), "function"));
    const std::string beside = remarks("* ", traced);
    return paragraph("* ", report::markdown_code(traced.target)) + "\n" + paragraph("", summary) +
           code(tree_grid(anatomy)) + (beside.empty() ? "" : "\n" + beside) +
           (list == Listing::full ? listing(anatomy) : "");
}

std::string to_markdown(const Explanation& explanation, Listing list) {
    const Traced& base = explanation.base;
    const Traced& change = explanation.change;
    std::string text = paragraph("* A: ", report::markdown_code(base.target)) +
                       paragraph("* B: ", report::markdown_code(change.target)) + "\n";
    text += paragraph("", report::markdown_text(base.workload) + ": " + total_text(explanation));
    text += code(functions_grid(explanation)) + "\n";
    for (const std::string& sentence : sentences(explanation, report::markdown_code)) {
        text += paragraph("* ", sentence);
    }
    return text + remarks("* A: ", base) + remarks("* B: ", change) +
           code(counts_grid(explanation)) +
           (list == Listing::full ? listing(explanation) : account(explanation));
}

}  // namespace kerntoll::lab::path
