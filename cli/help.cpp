// SPDX-License-Identifier: MIT
#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "lab/target/kinds.hpp"

namespace kerntoll::cli {
namespace {

constexpr std::size_t help_columns = 100;

std::string head_of(const lab::TargetKind& kind) {
    return kind.subject.empty() ? std::string(kind.name)
                                : fmt::format("{}:{}", kind.name, kind.subject);
}

/// Breaks a text at spaces so that no line is longer than `width`.
std::string wrap(const std::string& text, std::size_t width) {
    std::string wrapped;
    std::size_t line_begin = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        if (!wrapped.empty()) {
            const bool fits = wrapped.size() - line_begin + 1 + (end - begin) <= width;
            wrapped += fits ? ' ' : '\n';
            line_begin = fits ? line_begin : wrapped.size();
        }
        wrapped.append(text, begin, end - begin);
        begin = end + 1;
    }
    return wrapped;
}

/// A word and, in a column of its own, what it means.
std::string entry(std::string line, std::string_view meaning) {
    constexpr std::size_t column = 27;
    const std::string margin(column, ' ');
    line += line.size() < column ? std::string(column - line.size(), ' ') : '\n' + margin;
    for (const char c : wrap(std::string(meaning), help_columns - column)) {
        line += c;
        if (c == '\n') {
            line += margin;
        }
    }
    return line + '\n';
}

std::string option_line(const lab::OptionHelp& option) {
    return entry(fmt::format("    ,{}={}", option.key, option.values), option.help);
}

}  // namespace

std::string WrappingFormatter::make_option_desc(const CLI::Option* option) const {
    return wrap(Formatter::make_option_desc(option), help_columns - get_column_width());
}

std::string general_help() {
    return R"(
First steps:
  kerntoll doctor                                   what this machine can measure
  kerntoll compare host host,seccomp=args           a filter's cost on this machine's kernel
  kerntoll count linux:old/bzImage linux:new/bzImage    instructions per call, exact
  kerntoll compare linux:old/bzImage linux:new/bzImage  instructions, time and a verdict
  kerntoll try 0001-inline-exit.patch               in a Linux tree: what the patch costs

A target is a kernel's entry path that can be measured, written KIND[:SUBJECT][,key=value]...;
'kerntoll compare --help' lists the kinds and their options.

Exit codes: 0 done, 1 a --fail-if condition holds, 2 usage or this machine lacks something,
3 the measurement could not be completed (what was measured is kept).
)";
}

std::string target_help() {
    std::string text =
        "Targets: KIND[:SUBJECT][,key=value]..., values with commas in double quotes\n";
    std::vector<std::string_view> treated;
    std::span<const lab::OptionHelp> treatments;
    for (const lab::TargetKind& kind : lab::target_kinds()) {
        text += entry("  " + head_of(kind), kind.help);
        for (const lab::OptionHelp& option : kind.options) {
            if (lab::has_a_choice(kind, option)) {
                text += option_line(option);
            }
        }
        if (!kind.treatments.empty()) {
            treated.push_back(kind.name);
            treatments = kind.treatments;  // the same for all that take any
        }
    }
    text += fmt::format("  {}, as the agent sets it up:\n", fmt::join(treated, " and "));
    for (const lab::OptionHelp& treatment : treatments) {
        text += option_line(treatment);
    }
    return text;
}

std::string examples_and_targets(const std::string& examples) {
    return fmt::format("\nExamples:\n{}\n{}", examples, target_help());
}

}  // namespace kerntoll::cli
