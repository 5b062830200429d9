// SPDX-License-Identifier: MIT
#include "lab/path/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/path/explain_tables.hpp"
#include "lab/report/plain.hpp"
#include "lab/report/terminal.hpp"

namespace kerntoll::lab::path {
namespace {

using report::bold;
using report::green;
using report::harmless;
using report::red;
using report::Style;

/// Instructions that are listed before --full is asked for.
constexpr std::size_t most_listed = 80;

Style held(const Style& style) {
    return {std::clamp(style.width, report::narrowest, report::widest), style.colour};
}

std::string paint(const std::string& text, const char* code, const Style& style) {
    return report::paint(text, code, style.colour);
}

/// A grid with its first line, the header, in bold.
std::string table(const Grid& grid, const Style& style) {
    if (!grid.has_rows()) {
        return {};
    }
    std::string text = "\n";
    const char* code = bold;
    for (const std::string& line : grid.lines(style.width)) {
        text += (code != nullptr ? paint(line, code, style) : line) + "\n";
        code = nullptr;
    }
    return text;
}

std::string paragraph(const std::string& sentence, const Style& style) {
    std::string text;
    for (const std::string& line : report::wrap(harmless(sentence), style.width - 2)) {
        text += (text.empty() ? "" : "  ") + line + "\n";
    }
    return text;
}

/// Why phases are not told apart; what is said of both paths alike is said once.
std::string phase_notes(const Anatomy& base, const Anatomy& change, const Style& style) {
    const auto of_base = phase_sentences(base);
    const auto of_change = phase_sentences(change);
    std::string text;
    if (of_base == of_change) {
        for (const std::string& sentence : of_base) {
            text += paragraph(sentence, style);
        }
        return text;
    }
    for (const std::string& sentence : of_base) {
        text += paragraph("A: " + sentence, style);
    }
    for (const std::string& sentence : of_change) {
        text += paragraph("B: " + sentence, style);
    }
    return text;
}

std::string remarks(const Traced& traced, std::string_view label, const Style& style) {
    std::string text;
    for (const std::string& remark : traced.remarks) {
        text += paragraph(std::string(label) + remark, style);
    }
    return text;
}

/// The name of the function that a step belongs to.
const std::string& function_of(const Anatomy& anatomy, std::uint32_t step) {
    return anatomy.functions[anatomy.steps[step].function].name;
}

std::string heading(const std::string& function, const std::string& behind, const Style& style) {
    return paint(harmless(function), bold, style) + harmless(behind) + "\n";
}

/// Every instruction of one path, with its function above.
std::string listing(const Anatomy& anatomy, const Style& style) {
    std::string text;
    const std::string* above = nullptr;
    for (std::uint32_t at = 0; at < anatomy.steps.size(); ++at) {
        const Step& step = anatomy.steps[at];
        if (const std::string& function = function_of(anatomy, at); above != &function) {
            text += "\n" + heading(function, fmt::format("  ({})", name(step.phase)), style);
            above = &function;
        }
        text +=
            shorten(fmt::format("  {:016x}  {}{}", step.instruction->address,
                                harmless(disassembly(anatomy, at)),
                                step.taken && step.kind.flow == Flow::branch ? "  (taken)" : ""),
                    style.width) +
            "\n";
    }
    return text;
}

std::string specials(const Counts& counts, const Style& style) {
    std::string text;
    for (const auto& [name, count] : counts.specials) {
        text += fmt::format("{}{} {}", text.empty() ? "by name: " : " · ", name, count);
    }
    return text.empty() ? text : "\n" + paragraph(text, style);
}

/// The instructions that one path has and the other has not.
std::string account(const Explanation& explanation, const Style& style) {
    std::string text;
    for (const AccountLine& line : account_lines(explanation, most_listed)) {
        const std::string safe = harmless(line.text);
        switch (line.kind) {
            case AccountLine::Kind::function:
                text += "\n" + heading(safe, "", style);
                break;
            case AccountLine::Kind::went:
                text += paint(shorten("  - " + safe, style.width), red, style) + "\n";
                break;
            case AccountLine::Kind::came:
                text += paint(shorten("  + " + safe, style.width), green, style) + "\n";
                break;
            case AccountLine::Kind::more:
                text += "  " + safe + ": --full lists them\n";
                break;
        }
    }
    return text;
}

/// One half of a line of the listing side by side.
std::string half(const Anatomy& anatomy, const std::optional<std::uint32_t>& at,
                 std::size_t width) {
    if (!at) {
        return std::string(width, ' ');
    }
    const Instruction& instruction = *anatomy.steps[*at].instruction;
    return report::pad_right(
        shorten(fmt::format("{:016x} {}", instruction.address, harmless(disassembly(anatomy, *at))),
                width),
        width);
}

/// Every instruction of both paths, those that match on one line.
std::string side_by_side(const Explanation& explanation, const Style& style) {
    const Anatomy& base = explanation.base.anatomy;
    const Anatomy& change = explanation.change.anatomy;
    const std::size_t width = (style.width - 3) / 2;
    std::string text;
    std::string above;
    for (const Pair& pair : explanation.difference.pairs) {
        const std::string& function = pair.base ? function_of(base, *pair.base)
                                                : function_of(change, pair.change.value_or(0));
        if (text.empty() || function != above) {
            text += "\n" + heading(function, "", style);
            above = function;
        }
        const char* mark = pair.base && pair.change ? " " : pair.base ? "<" : ">";
        std::string line =
            half(base, pair.base, width) + " " + mark + " " + half(change, pair.change, width);
        line.erase(line.find_last_not_of(' ') + 1);
        if (!pair.base || !pair.change) {
            line = paint(line, pair.base ? red : green, style);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::string to_text(const Traced& traced, const Style& asked, Listing list) {
    const Style style = held(asked);
    const Anatomy& anatomy = traced.anatomy;
    std::string text = harmless(traced.target) + "\n\n" +
                       paint(fmt::format("{}: {} in {}", harmless(traced.workload),
                                         plural(anatomy.total.instructions, "instruction"),
                                         plural(anatomy.functions.size(), "function")),
                             bold, style);
    if (anatomy.stack_bytes) {
        text += fmt::format(", {} of stack", plural(*anatomy.stack_bytes, "byte"));
    }
    text += "\n" + table(phases_grid(anatomy), style) + phase_notes(anatomy, anatomy, style) +
            table(tree_grid(anatomy), style) + table(functions_grid(anatomy), style) +
            specials(anatomy.total, style);
    if (!traced.remarks.empty()) {
        text += "\n" + remarks(traced, "", style);
    }
    return list == Listing::full ? text + listing(anatomy, style) : text;
}

std::string to_text(const Explanation& explanation, const Style& asked, Listing list) {
    const Style style = held(asked);
    std::string text = fmt::format(
        "{}  {}\n{}  {}\n\n{}\n", paint("A", bold, style), harmless(explanation.base.target),
        paint("B", bold, style), harmless(explanation.change.target),
        paint(fmt::format("{}: {}", harmless(explanation.base.workload), total_text(explanation)),
              bold, style));
    text += table(functions_grid(explanation), style) + "\n";
    for (const std::string& sentence : sentences(explanation, harmless)) {
        text += paragraph(sentence, style);
    }
    text += remarks(explanation.base, "A: ", style) + remarks(explanation.change, "B: ", style);
    text += table(counts_grid(explanation), style);
    if (const std::string same = same_text(explanation); !same.empty()) {
        text += "\n" + paragraph(same, style);
    }
    text += table(phases_grid(explanation), style) +
            phase_notes(explanation.base.anatomy, explanation.change.anatomy, style);
    return text +
           (list == Listing::full ? side_by_side(explanation, style) : account(explanation, style));
}

}  // namespace kerntoll::lab::path
