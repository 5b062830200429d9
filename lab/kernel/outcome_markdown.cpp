// SPDX-License-Identifier: MIT
// The block for a cover letter: a table that reads as well where nothing renders it, and what it
// rests on.
#include <fmt/format.h>

#include "lab/kernel/outcome.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::kernel {
namespace {

constexpr std::size_t widest = 72;

std::string bullet(const std::string& markdown) {
    constexpr std::string_view first = "* ";
    std::string text;
    for (const std::string& line : report::wrap(markdown, widest - first.size())) {
        text += fmt::format("{}{}\n", text.empty() ? first : "  ", line);
    }
    return text;
}

std::string port_text(const PortOutcome& port) {
    return fmt::format("{}, {}", lab::name(port.arch), port.toolchain.version);
}

/// Two differences of a rung: from the base and, behind a semicolon, from the rung before it.
std::string row(const Finding& finding) {
    const auto& before = finding.base->count;
    const auto& after = finding.change->count;
    std::string counts = "-";
    std::string difference = "-";
    if (before && after) {
        counts = fmt::format("{} → {}", report::count_text(before->instructions_per_op),
                             report::count_text(after->instructions_per_op));
        difference =
            report::count_difference_text(before->instructions_per_op, after->instructions_per_op);
        if (const std::string step = step_text(finding);
            finding.before != finding.base && !step.empty()) {
            difference += "; step " + step;
        }
    }
    return fmt::format(
        "| {} | {} | {} | {} | {} |\n", report::markdown_text(port_text(*finding.port)),
        report::markdown_text(finding.side->name),
        report::markdown_text(finding.port->report->run.run.workloads[finding.workload]), counts,
        difference);
}

/// What became of the functions, and the time, of one row.
std::string below(const Finding& finding) {
    std::string text;
    const std::string head = fmt::format(
        "{}, {}, {}: ", report::markdown_text(port_text(*finding.port)),
        report::markdown_text(finding.side->name),
        report::markdown_text(finding.port->report->run.run.workloads[finding.workload]));
    if (finding.side->role == store::Role::change && finding.change->path) {
        std::string all = head;
        for (const std::string& sentence : report::function_sentences(
                 finding.change->path->functions, report::markdown_code, report::Telling::brief)) {
            all += sentence + " ";
        }
        if (const std::string size = size_text(finding); !size.empty()) {
            all += "Size: " + size + ".";
        }
        text += bullet(all);
    }
    if (const std::string time = time_text(finding); !time.empty()) {
        text += bullet(head + report::markdown_text(time) + ".");
    }
    for (const std::string& remark : own_remarks(*finding.port, *finding.side)) {
        text += bullet(head + report::markdown_text(remark) + ".");
    }
    return text;
}

}  // namespace

std::string to_markdown(const Outcome& outcome) {
    std::string table =
        "| kernel | change | workload | instructions | difference |\n|---|---|---|---:|---:|\n";
    std::string text;
    for (const PortOutcome& port : outcome.ports) {
        for (const Finding& finding : findings(port)) {
            table += row(finding);
            text += below(finding);
        }
        for (std::uint32_t workload = 0;
             port.report && workload < port.report->run.run.workloads.size(); ++workload) {
            if (const std::string moved = layout_text(port, workload); !moved.empty()) {
                text += bullet(fmt::format("{}: by the placebos, {}.",
                                           report::markdown_text(port_text(port)),
                                           report::markdown_text(moved)));
            }
        }
        if (port.error) {
            text += bullet(fmt::format("{}: {}.", report::markdown_text(port_text(port)),
                                       report::markdown_text(port.error->message)));
        }
    }
    for (const std::string& sentence : provenance(outcome, Detail::whole)) {
        text += bullet(report::markdown_text(sentence));
    }
    return fmt::format("{}\n{}\n{}:\n\n{}\nFor the commit message:\n\n{}", table, text,
                       repeat_text(outcome), command_block(outcome), to_paragraph(outcome));
}

}  // namespace kerntoll::lab::kernel
