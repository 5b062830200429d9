// SPDX-License-Identifier: MIT
#include "lab/kernel/outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "lab/kernel/tree.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::kernel {
namespace {

using report::Figures;
using store::FunctionChange;

/// A line of a commit message is no place for more.
constexpr std::size_t most_named = 4;

/// The differences in instructions by the functions of the source: what the compiler names behind
/// a dot is its own copy of one (invoke_syscall.constprop.0), and a function that it only
/// specialised in one kernel is neither gone nor new. In path order.
std::vector<std::pair<std::string, std::int64_t>> by_source(const store::PathRecord& path) {
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (const FunctionChange& function : path.functions) {
        // A name that begins with a dot is a local label's.
        const std::string name = function.name.substr(0, function.name.find('.', 1));
        const auto known =
            std::ranges::find(all, name, [](const auto& each) { return each.first; });
        if (known != all.end()) {
            known->second += function.instructions();
        } else {
            all.emplace_back(name, function.instructions());
        }
    }
    return all;
}

const report::Row* time_of(const report::Report& report, std::uint32_t arm,
                           std::uint32_t workload) {
    for (const report::Row& row : report.rows) {
        if (row.change.arm == arm && row.workload == workload) {
            return row.estimate.replicates > 0 ? &row : nullptr;
        }
    }
    return nullptr;
}

std::string fact(const store::ArmRecord& arm, std::string_view key) {
    const auto found = std::ranges::find(
        arm.provenance, key, [](const auto& pair) { return std::string_view(pair.first); });
    return found == arm.provenance.end() ? std::string{} : found->second;
}

/// "QEMU 7.2.22", without the packager's part.
std::string qemu_text(const store::ArmRecord& arm) {
    const std::string version = fact(arm, "qemu_version");
    return fmt::format("QEMU {} -cpu {}", version.substr(0, version.find(' ')),
                       fact(arm, "cpu_model"));
}

/// A verdict for readers who know none of this program's words.
std::string verdict_words(stats::Verdict verdict, double margin) {
    switch (verdict) {
        case stats::Verdict::equivalent:
            return "the same within " + report::size_text(margin);
        case stats::Verdict::layout_like:
            return "no more than moving the code alone can do";
        case stats::Verdict::untrusted:
            return "not to be trusted, as the base differs from itself";
        case stats::Verdict::faster:
        case stats::Verdict::slower:
        case stats::Verdict::undecided:
            break;
    }
    return std::string(stats::name(verdict));
}

/// The widest of the intervals that a verdict rests on, where it is too wide to tell anything: the
/// change's, and those of the placebos that it is held against. None where the change's excludes
/// zero all the same: that is a difference, whatever becomes of it.
std::optional<double> useless_half_width(const report::Row& row, double margin) {
    constexpr double most_margins = 10;
    const stats::Interval& own = row.estimate.interval95;
    if ((row.decision.verdict != stats::Verdict::undecided &&
         row.decision.verdict != stats::Verdict::layout_like) ||
        own.low > 0 || own.high < 0) {
        return std::nullopt;
    }
    double widest = 0;
    const auto consider = [&](const stats::Interval& interval) {
        if (std::isfinite(interval.half_width())) {
            widest = std::max(widest, interval.half_width());
        }
    };
    consider(own);
    for (const report::Placebo& placebo : row.placebos) {
        consider(placebo.estimate.interval95);
    }
    return widest > most_margins * margin ? std::optional(widest) : std::nullopt;
}

/// Whether a change made the very bytes of the base's kernel: a comment, a file that is not built.
bool made_the_same(const Finding& finding) {
    const Built& base = finding.port->sides.front().built;
    const Built& change = finding.side->built;
    return finding.side->role == store::Role::change && change.image != base.image &&
           !base.image_sha256.empty() && change.image_sha256 == base.image_sha256;
}

/// ".config 0123456789ab", and that of changes where it is another one.
std::string configurations_of(const PortOutcome& port) {
    const std::string& base = port.sides.front().built.config_sha256;
    std::string text = ".config " + short_hash(base);
    for (const MeasuredSide& side : port.sides) {
        if (side.role == store::Role::change && side.built.config_sha256 != base) {
            text += fmt::format(" ({}: {})", side.name, short_hash(side.built.config_sha256));
        }
    }
    return text;
}

/// "commit 0123456789ab (v6.12-3-g0123456789ab)", "linux-source-6.12 (content 0123456789ab)",
/// "linux-6.12.73 (package linux 6.12.73-1, content 0123456789ab)".
std::string origin_of(const Tree& tree) {
    if (!tree.is_git()) {
        return fmt::format("{} ({}content {})", tree.named,
                           tree.package.empty() ? "" : fmt::format("package {}, ", tree.package),
                           short_hash(tree.content));
    }
    const std::string commit = short_hash(tree.commit);
    return tree.named == commit ? "commit " + commit
                                : fmt::format("commit {} ({})", commit, tree.named);
}

}  // namespace

std::vector<Finding> findings(const PortOutcome& port) {
    std::vector<Finding> all;
    if (!port.report) {
        return all;
    }
    const report::Report& report = *port.report;
    const auto& run = report.run.run;
    for (std::uint32_t workload = 0; workload < run.workloads.size(); ++workload) {
        std::size_t side = 1;  // the base is no finding
        const Figures* before = &report.of(workload, 0);
        for (const store::ArmRecord& arm : run.arms) {
            if (arm.role != store::Role::change && arm.role != store::Role::placebo) {
                continue;
            }
            if (side < port.sides.size()) {
                all.push_back({.port = &port,
                               .side = &port.sides[side],
                               .base = &report.of(workload, 0),
                               .change = &report.of(workload, arm.index),
                               .before = before,
                               .time = time_of(report, arm.index, workload),
                               .workload = workload});
                if (made_the_same(all.back())) {
                    all.back().time = nullptr;
                }
                before = arm.role == store::Role::change ? all.back().change : before;
            }
            ++side;
        }
    }
    return all;
}

bool is_ladder(const PortOutcome& port) {
    return std::ranges::count(port.sides, store::Role::change, &MeasuredSide::role) > 1;
}

std::string step_text(const Finding& finding) {
    const auto& before = finding.before->count;
    const auto& after = finding.change->count;
    if (finding.side->role != store::Role::change || !before || !after) {
        return {};
    }
    const double step = after->instructions_per_op - before->instructions_per_op;
    return (step > 0 ? "+" : "") + report::count_text(step);
}

LayoutReach layout_reach(const PortOutcome& port, std::uint32_t workload) {
    LayoutReach reach;
    for (const Finding& finding : findings(port)) {
        const auto& before = finding.base->count;
        const auto& after = finding.change->count;
        if (finding.side->role != store::Role::placebo || finding.workload != workload || !before ||
            !after || !before->exact || !after->exact) {
            continue;
        }
        const double difference = after->instructions_per_op - before->instructions_per_op;
        ++reach.placebos;
        reach.same += difference == 0 ? 1 : 0;
        reach.low = std::min(reach.low, difference);
        reach.high = std::max(reach.high, difference);
    }
    return reach;
}

std::string layout_text(const PortOutcome& port, std::uint32_t workload) {
    const LayoutReach reach = layout_reach(port, workload);
    if (reach.same == reach.placebos) {
        return {};
    }
    const auto number = [](double difference) {
        return (difference < 0 ? "-" : "+") + report::count_text(std::abs(difference));
    };
    const std::string range = reach.low == 0    ? "up to " + number(reach.high)
                              : reach.high == 0 ? "down to " + number(reach.low)
                                                : number(reach.low) + " to " + number(reach.high);
    return fmt::format("moving code alone changes the number of instructions of {} by {}",
                       port.report->run.run.workloads[workload], range);
}

std::vector<std::string> own_remarks(const PortOutcome& port, const MeasuredSide& side) {
    std::vector<std::string> own = side.built.remarks;
    if (side.role != store::Role::base) {
        const std::vector<std::string>& told = port.sides.front().built.remarks;
        std::erase_if(own, [&](const std::string& remark) {
            return std::ranges::find(told, remark) != told.end();
        });
    }
    return own;
}

std::string functions_text(const Finding& finding) {
    if (!finding.change->path) {
        return {};
    }
    const auto functions = by_source(*finding.change->path);
    std::vector<const std::pair<std::string, std::int64_t>*> differing;
    for (const auto& function : functions) {
        if (function.second != 0) {
            differing.push_back(&function);
        }
    }
    std::ranges::sort(differing, [](const auto* left, const auto* right) {
        const auto size = std::abs(left->second) - std::abs(right->second);
        return size != 0 ? size > 0 : left < right;  // they stand in one list, in path order
    });
    std::vector<std::string> named;
    std::int64_t rest = 0;
    for (std::size_t index = 0; index < differing.size(); ++index) {
        const auto& [name, instructions] = *differing[index];
        // One more than the limit is named rather than called "1 other".
        if (index < most_named || differing.size() == most_named + 1) {
            named.push_back(fmt::format("{} {}", name, report::signed_text(instructions)));
        } else {
            rest += instructions;
        }
    }
    if (differing.size() > named.size()) {
        named.push_back(fmt::format("{} others {}", differing.size() - named.size(),
                                    report::signed_text(rest)));
    }
    const store::PathRecord& path = *finding.change->path;
    const std::string which = path.calls_per_op > 1 && !named.empty()
                                  ? fmt::format("call {} of {}: ", path.call, path.calls_per_op)
                                  : "";
    return which + fmt::format("{}", fmt::join(named, ", "));
}

std::string size_text(const Finding& finding) {
    const Built& of_base = finding.port->sides.front().built;
    const Built& of_side = finding.side->built;
    if (finding.side->role == store::Role::placebo || of_side.image == of_base.image) {
        return {};
    }
    if (made_the_same(finding)) {
        return "the same image";
    }
    const auto told = [](std::uint64_t base, std::uint64_t change) {
        const auto bytes = report::difference_of(base, change);
        return bytes == 0 ? std::string("text as large")
                          : fmt::format("text {} bytes", report::signed_text(bytes));
    };
    // Linker scripts fill up pages within the text and at its end, so its own size may say nothing.
    return of_base.code_bytes > 0 && of_side.code_bytes > 0
               ? told(of_base.code_bytes, of_side.code_bytes)
               : std::string{};
}

std::string effect_text(const stats::Estimate& estimate) {
    return std::isfinite(estimate.interval95.half_width())
               ? report::effect_and_interval_text(estimate)
               : std::string{};
}

std::string time_text(const Finding& finding) {
    if (finding.time == nullptr) {
        return {};
    }
    const report::Row& row = *finding.time;
    const std::string_view where = row.grade == Grade::emulated      ? "under emulation"
                                   : row.grade == Grade::virtualised ? "under KVM"
                                   : row.grade == Grade::hardware    ? "on hardware"
                                                                     : "as simulated";
    const double margin = finding.port->report->run.run.margin;
    const std::string boots = report::plural(row.estimate.replicates, "boot") + " of each";
    if (const auto noise = useless_half_width(row, margin)) {
        return fmt::format("time {} told nothing: noise alone is ±{} ({})", where,
                           report::size_text(*noise), boots);
    }
    std::string effect;
    if (std::isfinite(row.estimate.interval95.half_width())) {
        effect = fmt::format("{}, 95 % interval {}; ", report::effect_text(row.estimate),
                             report::interval_text(row.estimate));
    }
    return fmt::format(
        "time {}: {}{} ({}{})", where, verdict_words(row.decision.verdict, margin),
        row.decision.layout_untested ? ", and moving the code alone may do as much" : "", effect,
        boots);
}

std::vector<std::string> provenance(const Outcome& outcome, Detail detail) {
    std::vector<std::string> sentences{fmt::format("Base: Linux {}, {}; configuration: {}.",
                                                   outcome.tree.version, origin_of(outcome.tree),
                                                   outcome.configuration)};
    if (!outcome.changes.empty()) {
        sentences.push_back(fmt::format("{}: {}.",
                                        outcome.changes.size() == 1 ? "Change" : "Changes",
                                        fmt::join(outcome.changes, ", ")));
    }
    for (const PortOutcome& port : outcome.ports) {
        if (!port.report) {
            continue;
        }
        const auto& run = port.report->run.run;
        std::string text =
            fmt::format("{}: {}, {}, {}", lab::name(port.arch), port.toolchain.version,
                        configurations_of(port), qemu_text(run.arms.front()));
        if (detail == Detail::whole && port.report->replicates > 0) {
            text +=
                fmt::format(", {} of {} boots each",
                            report::plural(port.report->replicates, "replicate"), run.arms.size());
        }
        if (detail == Detail::whole) {
            text +=
                fmt::format(", command line \"{}\"; run {}, seed {}",
                            fact(run.arms.front(), "command_line"), port.report->run.id, run.seed);
        }
        sentences.push_back(text + ".");
    }
    if (detail == Detail::whole) {
        sentences.push_back(fmt::format("Measured by kerntoll {}.", outcome.version));
    }
    return sentences;
}

std::string command_text(const Outcome& outcome) {
    std::string text =
        outcome.folder.empty() ? "" : fmt::format("cd {} &&", report::shell_word(outcome.folder));
    for (const std::string& word : outcome.command) {
        text += (text.empty() ? "" : " ") + report::shell_word(word);
    }
    return text;
}

std::string command_block(const Outcome& outcome) {
    constexpr std::size_t widest = 72;
    constexpr std::string_view indent = "    ";
    constexpr std::string_view joined = " \\";
    std::string text;
    std::string line;
    for (const std::string& each : outcome.command) {
        const std::string word = report::harmless(report::shell_word(each));
        if (!line.empty() && indent.size() + report::columns_of(line) + 1 +
                                     report::columns_of(word) + joined.size() >
                                 widest) {
            text += fmt::format("{}{}{}\n", indent, line, joined);
            line = "  ";
        }
        line += (line.empty() || line == "  " ? "" : " ") + word;
    }
    return fmt::format("{}{}{}\n", text, indent, line);
}

std::string repeat_text(const Outcome& outcome) {
    return outcome.head.empty()
               ? "Repeat it"
               : fmt::format("Repeat it, with {} checked out", short_hash(outcome.head));
}

}  // namespace kerntoll::lab::kernel
