// SPDX-License-Identifier: MIT
// The paragraph for a commit message. git log indents it by four of a terminal's 80 columns and
// leaves as many.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "lab/kernel/outcome.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::kernel {
namespace {

constexpr std::size_t widest = 72;

std::string lines(std::string_view text) {
    std::string all;
    for (const std::string& line : report::wrap(report::harmless(text), widest)) {
        all += line + "\n";
    }
    return all;
}

bool is_change(const Finding& finding) {
    return finding.side->role == store::Role::change;
}

/// "214 → 208 → 201 instructions (-6.1 %)": the rungs of a ladder, the last against the base.
std::string counts_text(const std::vector<Finding>& rungs) {
    const Finding& last = rungs.back();
    if (!last.base->count || !last.change->count) {
        return "instructions not counted";
    }
    const double before = last.base->count->instructions_per_op;
    const double after = last.change->count->instructions_per_op;
    std::string text = report::count_text(before);
    for (const Finding& rung : rungs) {
        text += " → " + (rung.change->count
                             ? report::count_text(rung.change->count->instructions_per_op)
                             : std::string("?"));
    }
    const bool exact = last.base->count->exact && last.change->count->exact;
    return fmt::format(
        "{} instructions ({}{})", text,
        after == before ? "the same" : fmt::format("{:+.1f} %", 100 * (after - before) / before),
        exact ? "" : ", the least seen");
}

/// "getpid on riscv64": with the compiler where there are several.
std::string head_of(const Finding& finding, bool several_compilers) {
    return fmt::format("{} on {}{}", finding.port->report->run.run.workloads[finding.workload],
                       lab::name(finding.port->arch),
                       several_compilers ? ", " + finding.port->toolchain.version : "");
}

std::string sentence(const std::vector<Finding>& rungs, bool several_compilers) {
    const Finding& last = rungs.back();
    std::string text = fmt::format("{}: {}", head_of(last, several_compilers), counts_text(rungs));
    if (const std::string functions = functions_text(last); !functions.empty()) {
        text += ": " + functions;
    }
    for (const std::string& more : {size_text(last), time_text(last)}) {
        if (!more.empty()) {
            text += "; " + more;
        }
    }
    return text + ".";
}

/// What the numbers are, and what they are not.
std::string basis_text(const Outcome& outcome) {
    std::vector<std::string> loops;
    std::string layout;
    std::string time;
    for (const PortOutcome& port : outcome.ports) {
        for (std::uint32_t workload = 0;
             port.report && workload < port.report->run.run.workloads.size(); ++workload) {
            if (const std::string moved = layout_text(port, workload); !moved.empty()) {
                layout += fmt::format(" On {}, {}.", lab::name(port.arch), moved);
            }
        }
        for (const Finding& finding : findings(port)) {
            if (finding.base->count) {
                std::string loop = report::count_text(finding.base->count->loop_instructions);
                if (std::ranges::find(loops, loop) == loops.end()) {
                    loops.push_back(std::move(loop));
                }
            }
            if (finding.time != nullptr) {
                time =
                    fmt::format(" Time is {} and about these images (scope {}), held against {}.",
                                lab::name(finding.time->grade), lab::name(finding.time->scope),
                                finding.time->placebos.empty()
                                    ? "no placebo"
                                    : report::plural(finding.time->placebos.size(), "placebo"));
            }
        }
    }
    return fmt::format(
        "Instructions are exact, per op with the user's loop of {} (kerntoll {}).{}{}",
        fmt::join(loops, " or "), outcome.version, layout, time);
}

}  // namespace

std::string to_paragraph(const Outcome& outcome) {
    std::set<Compiler> compilers;
    for (const PortOutcome& port : outcome.ports) {
        compilers.insert(port.toolchain.compiler);
    }
    std::string text;
    for (const PortOutcome& port : outcome.ports) {
        std::vector<Finding> rungs;
        for (const Finding& finding : findings(port)) {
            if (!rungs.empty() && rungs.back().workload != finding.workload) {
                text += lines(sentence(rungs, compilers.size() > 1));
                rungs.clear();
            }
            if (is_change(finding)) {
                rungs.push_back(finding);
            }
        }
        if (!rungs.empty()) {
            text += lines(sentence(rungs, compilers.size() > 1));
        }
    }
    if (text.empty()) {
        return text;
    }
    return text + "\n" +
           lines(fmt::format("{} {}", basis_text(outcome),
                             fmt::join(provenance(outcome, Detail::brief), " ")));
}

}  // namespace kerntoll::lab::kernel
