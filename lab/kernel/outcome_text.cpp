// SPDX-License-Identifier: MIT
// What a trial came to, for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "lab/kernel/outcome.hpp"
#include "lab/path/grid.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::kernel {
namespace {

/// A placebo has no row of its own: its time stands in the rows of the changes.
std::string placebo_time(const Finding& finding) {
    for (const report::Row& row : finding.port->report->rows) {
        for (const report::Placebo& placebo : row.placebos) {
            if (row.workload == finding.workload && placebo.arm == finding.change->arm) {
                return effect_text(placebo.estimate);
            }
        }
    }
    return {};
}

std::string time_cell(const Finding& finding) {
    if (finding.side->role == store::Role::placebo) {
        return placebo_time(finding);
    }
    if (finding.time == nullptr) {
        return {};
    }
    const std::string effect = effect_text(finding.time->estimate);
    return fmt::format("{}{}{}", stats::name(finding.time->decision.verdict),
                       effect.empty() ? "" : " ", effect);
}

std::string count_cell(const report::Figures& figures) {
    return figures.count ? report::count_text(figures.count->instructions_per_op) : "-";
}

std::string difference_cell(const Finding& finding) {
    return finding.base->count && finding.change->count
               ? report::count_difference_text(finding.base->count->instructions_per_op,
                                               finding.change->count->instructions_per_op)
               : "-";
}

path::Grid grid_of(const PortOutcome& port, std::uint32_t workload) {
    using path::Align;
    const report::Report& report = *port.report;
    const bool timed = report.replicates > 0;
    const bool ladder = is_ladder(port);
    std::vector columns{Align::left, Align::right, Align::left, Align::left, Align::left};
    constexpr std::ptrdiff_t behind_difference = 3;
    if (ladder) {
        columns.insert(columns.begin() + behind_difference, Align::right);
    }
    path::Grid grid(columns, 0);
    const auto add = [&](std::vector<std::string> cells, std::string step) {
        if (ladder) {
            cells.insert(cells.begin() + behind_difference, std::move(step));
        }
        grid.row(std::move(cells));
    };
    add({report.run.run.workloads[workload], "instructions", "against base", "code",
         timed ? "time" : ""},
        "step");
    add({port.sides.front().name, count_cell(report.of(workload, 0)), "", "", ""}, "");
    for (const Finding& finding : findings(port)) {
        if (finding.workload == workload) {
            add({finding.side->name, count_cell(*finding.change), difference_cell(finding),
                 size_text(finding), time_cell(finding)},
                step_text(finding));
        }
    }
    return grid;
}

std::string sentence(std::string_view text, const report::Style& style) {
    std::string all;
    for (const std::string& line : report::wrap(report::harmless(text), style.width)) {
        all += line + "\n";
    }
    return all;
}

/// What was checked of the placebos, whose instructions must be the base's.
std::string placebo_sentences(const PortOutcome& port, const report::Style& style) {
    std::string text;
    std::size_t placebos = 0;
    for (std::uint32_t workload = 0; workload < port.report->run.run.workloads.size(); ++workload) {
        placebos += layout_reach(port, workload).placebos;
        if (const std::string moved = layout_text(port, workload); !moved.empty()) {
            text += sentence(
                fmt::format("By the placebos, {}: a difference of that size may be layout, too. "
                            "On x86 it is where a mitigation replaces a return or an indirect "
                            "branch according to its address. A placebo that counts otherwise "
                            "than the base is none, and widens nothing.",
                            moved),
                style);
        }
    }
    return placebos > 0 && text.empty()
               ? sentence(
                     "The placebos are the base with its code at other addresses: the same "
                     "number of instructions, as counted.",
                     style)
               : text;
}

std::string port_text(const PortOutcome& port, const report::Style& style) {
    std::string text = fmt::format("{}, {}\n", lab::name(port.arch), port.toolchain.version);
    if (port.report) {
        for (std::uint32_t workload = 0; workload < port.report->run.run.workloads.size();
             ++workload) {
            for (const std::string& line : grid_of(port, workload).lines(style.width)) {
                text += line + "\n";
            }
            text += "\n";
        }
        for (const Finding& finding : findings(port)) {
            if (const std::string functions = functions_text(finding);
                finding.side->role == store::Role::change && !functions.empty()) {
                text += sentence(
                    fmt::format("{}, {}: {}.", finding.side->name,
                                port.report->run.run.workloads[finding.workload], functions),
                    style);
            }
        }
        text += placebo_sentences(port, style);
    }
    for (const MeasuredSide& side : port.sides) {
        for (const std::string& remark : own_remarks(port, side)) {
            text += sentence(fmt::format("{}: {}.", side.name, remark), style);
        }
    }
    if (port.error) {
        text += sentence(port.error->message + ".", style);
        for (const std::string& line : port.error->console) {
            text += "  " + report::harmless(line) + "\n";
        }
    }
    for (const std::string& note : port.notes) {
        text += sentence(note, style);
    }
    if (port.report) {
        text += fmt::format("All of it: {}\n", report::show_command(port.report->run));
        const MeasuredSide* last = nullptr;
        for (const MeasuredSide& side : port.sides) {
            last = side.role == store::Role::change ? &side : last;
        }
        if (last != nullptr) {
            text += fmt::format("Where they differ: kerntoll explain {} {}\n",
                                report::shell_word(port.sides.front().target),
                                report::shell_word(last->target));
        }
    }
    return text + "\n";
}

}  // namespace

std::string to_text(const Outcome& outcome, const report::Style& style) {
    std::string text;
    for (const PortOutcome& port : outcome.ports) {
        text += port_text(port, style);
    }
    const std::string paragraph = to_paragraph(outcome);
    if (paragraph.empty()) {
        return text;
    }
    // On one line, however long: a terminal's own break does not come along when it is copied.
    return fmt::format("{}For the commit message:\n\n{}\n{}: {}\n", text, paragraph,
                       report::harmless(repeat_text(outcome)),
                       report::harmless(command_text(outcome)));
}

}  // namespace kerntoll::lab::kernel
