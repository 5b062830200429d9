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

/// "riscv64": with the compiler where there are several.
std::string kernel_of(const PortOutcome& port, bool several_compilers) {
    return fmt::format("{}{}", lab::name(port.arch),
                       several_compilers ? ", " + port.toolchain.version : "");
}

std::string sentence(const std::vector<Finding>& rungs, bool several_compilers) {
    const Finding& last = rungs.back();
    std::string text =
        fmt::format("{} on {}: {}", last.port->report->run.run.workloads[last.workload],
                    kernel_of(*last.port, several_compilers), counts_text(rungs));
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

/// What the numbers of instructions are.
std::string counts_basis(const Outcome& outcome) {
    std::vector<std::string> loops;
    std::size_t exact = 0;
    std::size_t least_seen = 0;
    for (const PortOutcome& port : outcome.ports) {
        for (const Finding& finding : findings(port)) {
            const auto& before = finding.base->count;
            const auto& after = finding.change->count;
            if (!is_change(finding) || !before || !after) {
                continue;
            }
            ++(before->exact && after->exact ? exact : least_seen);
            std::string loop = report::count_text(before->loop_instructions);
            if (std::ranges::find(loops, loop) == loops.end()) {
                loops.push_back(std::move(loop));
            }
        }
    }
    if (loops.empty()) {
        return fmt::format("Measured by kerntoll {}.", outcome.version);
    }
    const std::string_view what =
        least_seen == 0 ? "are exact"
        : exact == 0    ? "are the least seen, since the path differs from call to call"
                        : "are exact, but for those called the least seen, whose path differs "
                          "from call to call";
    return fmt::format("Instructions {}; per op, with the user's loop of {} (kerntoll {}).", what,
                       fmt::join(loops, " or "), outcome.version);
}

std::string layout_basis(const Outcome& outcome, bool several_compilers) {
    std::string text;
    for (const PortOutcome& port : outcome.ports) {
        for (std::uint32_t workload = 0;
             port.report && workload < port.report->run.run.workloads.size(); ++workload) {
            if (const std::string moved = layout_text(port, workload); !moved.empty()) {
                text += fmt::format(" On {}, {}.", kernel_of(port, several_compilers), moved);
            }
        }
    }
    return text;
}

/// What a measured time is evidence of.
std::string time_basis_of(const Finding& finding) {
    const report::Row& row = *finding.time;
    const std::string_view grade =
        row.grade == Grade::emulated      ? "is emulated, which is no evidence of time on hardware"
        : row.grade == Grade::virtualised ? "is measured in a virtual machine"
        : row.grade == Grade::hardware    ? "is measured on hardware"
                                          : "is simulated";
    const std::string held =
        row.placebos.empty()
            ? "held against no other layout of the base"
            : fmt::format("held against {} of the base with its code at other addresses",
                          row.placebos.size() == 1 ? "one build"
                                                   : fmt::format("{} builds", row.placebos.size()));
    return fmt::format(
        "{}, {}, {}", grade,
        row.scope == Scope::images ? "of these very images" : "of layouts drawn anew each time",
        held);
}

/// A sentence for all kernels whose times are worth the same; it names them unless it speaks of
/// every one.
std::string time_basis(const Outcome& outcome, bool several_compilers) {
    std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
    std::size_t ports = 0;
    for (const PortOutcome& port : outcome.ports) {
        ports += port.report ? 1 : 0;
        const std::string kernel = kernel_of(port, several_compilers);
        for (const Finding& finding : findings(port)) {
            if (finding.time == nullptr) {
                continue;
            }
            const std::string basis = time_basis_of(finding);
            auto kind =
                std::ranges::find(kinds, basis, [](const auto& each) { return each.first; });
            if (kind == kinds.end()) {
                kind = kinds.insert(kind, {basis, {}});
            }
            if (std::ranges::find(kind->second, kernel) == kind->second.end()) {
                kind->second.push_back(kernel);
            }
        }
    }
    std::string text;
    for (const auto& [basis, kernels] : kinds) {
        const bool all = kinds.size() == 1 && kernels.size() == ports;
        text += all ? fmt::format(" Time {}.", basis)
                    : fmt::format(" Time on {} {}.", fmt::join(kernels, " and "), basis);
    }
    return text;
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
    const bool several = compilers.size() > 1;
    text += "\n" + lines(fmt::format("{}{}{} {}", counts_basis(outcome),
                                     layout_basis(outcome, several), time_basis(outcome, several),
                                     fmt::join(provenance(outcome, Detail::brief), " ")));
    return outcome.command.empty() ? text : text + "\n" + command_block(outcome);
}

}  // namespace kerntoll::lab::kernel
