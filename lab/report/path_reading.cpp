// SPDX-License-Identifier: MIT
#include "lab/report/path_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "lab/report/labels.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/plain.hpp"
#include "lab/target/options.hpp"

namespace kerntoll::lab::report {
namespace {

using stats::Verdict;
using store::Counts;

/// A sentence is no place for more: it tells the likeliest.
constexpr std::size_t most_suspects = 5;

/// What can cost more than its number says, the likeliest first, and the event of perf(1) that
/// shows it. Events are counted in the kernel alone, or for `hosted:` in the program.
struct Suspect {
    std::uint64_t Counts::* count;
    std::string_view event;
};
constexpr std::array suspects{Suspect{&Counts::indirect, "branch-misses:k"},
                              Suspect{&Counts::barriers, ""},
                              Suspect{&Counts::atomics, ""},
                              Suspect{&Counts::code_lines, "L1-icache-load-misses:k"},
                              Suspect{&Counts::taken, "branch-misses:k"},
                              Suspect{&Counts::data_lines, "L1-dcache-load-misses:k"}};

std::string_view name_of(std::uint64_t Counts::* count) {
    return std::ranges::find(store::quantities(), count, &store::Quantity::count)->name;
}

/// What is more on one side, and which events show it.
struct Suspicion {
    std::vector<std::string> texts;
    std::vector<std::string> events{"cycles:k", "instructions:k"};
};

enum class Slower { base, change };

/// System instructions that only read, by how their names begin: what they cost is about what any
/// instruction does. riscv64's csrrs, as which a read is printed, is nearly always one.
constexpr std::array<std::string_view, 17> readers{
    "mrs ",     "csrr ", "csrrs ", "csrrd ", "cpucfg", "rdtime", "rdcycle", "rdinstret", "rdfsbase",
    "rdgsbase", "stck",  "stpt",   "stidp",  "stap",   "stfl",   "epsw",    "ipk"};

bool only_reads(std::string_view special) {
    return std::ranges::any_of(
        readers, [special](std::string_view reader) { return special.starts_with(reader); });
}

Suspicion suspect(const Counts& base, const Counts& change, Slower slower) {
    Suspicion suspicion;
    const auto weigh = [&](std::string_view what, std::uint64_t before, std::uint64_t after) {
        const bool more = slower == Slower::change ? after > before : before > after;
        if (more) {
            suspicion.texts.push_back(fmt::format("{} {}", what, change_text(before, after)));
        }
        return more;
    };
    const auto weigh_specials = [&](bool reading) {
        for (const std::string& each : store::specials_of(base, change)) {
            if (only_reads(each) == reading) {
                (void)weigh(each, store::special(base, each), store::special(change, each));
            }
        }
    };
    weigh_specials(false);
    // A barrier that is counted by its name need not be counted again.
    const bool named = !suspicion.texts.empty();
    for (const Suspect& each : suspects) {
        if (named && each.count == &Counts::barriers) {
            continue;
        }
        if (weigh(name_of(each.count), base.*each.count, change.*each.count) &&
            !each.event.empty() &&
            std::ranges::find(suspicion.events, each.event) == suspicion.events.end()) {
            suspicion.events.emplace_back(each.event);
        }
    }
    weigh_specials(true);
    return suspicion;
}

/// The first ones, and how many there are besides.
std::string first_few(std::span<const std::string> texts) {
    const std::size_t told = std::min(texts.size(), most_suspects);
    std::string text = fmt::format("{}", fmt::join(texts.first(told), ", "));
    if (told < texts.size()) {
        text += fmt::format(" and {} more", texts.size() - told);
    }
    return text;
}

/// Whether a target is a program of this machine, and no kernel of its own.
bool is_hosted(const std::string& target) {
    const auto spec = parse_target(target);
    return spec && spec->kind == "hosted";
}

/// The running kernel as a target, with the treatments that an arm's target asks for; a program as
/// it is.
std::string on_hardware(const std::string& target) {
    if (is_hosted(target)) {
        return target;
    }
    std::string host = "host";
    const auto spec = parse_target(target);
    const auto treatments = spec ? read_treatments(*spec) : std::unexpected(spec.error());
    if (treatments) {
        for (const auto& [key, value] : *treatments) {
            const bool plain = value.find_first_of(", \"") == std::string::npos;
            host += fmt::format(",{}={}", key, plain ? value : "\"" + value + "\"");
        }
    }
    return host;
}

std::vector<std::string> commands_of(const Report& report, const Row& row,
                                     const std::vector<std::string>& events) {
    const store::RunRecord& run = report.run.run;
    std::vector<std::string> commands;
    for (const std::uint32_t arm : {std::uint32_t{0}, row.change.arm}) {
        const std::string& target = run.arms[arm].target;
        std::string counted = fmt::format("{}", fmt::join(events, ","));
        if (is_hosted(target)) {
            constexpr std::string_view in_kernel = ":k";
            for (auto at = counted.find(in_kernel); at != counted.npos;
                 at = counted.find(in_kernel)) {
                counted.replace(at, in_kernel.size(), ":u");
            }
        }
        std::string command =
            fmt::format("perf stat -e {} kerntoll run {} --workload {} --max-time 30s", counted,
                        shell_word(on_hardware(target)), shell_word(run.workloads[row.workload]));
        if (commands.empty() || commands.front() != command) {
            commands.push_back(std::move(command));
        }
    }
    return commands;
}

bool timed_apart(const Row& row) {
    const Verdict verdict = row.decision.verdict;
    return verdict == Verdict::faster || verdict == Verdict::slower ||
           verdict == Verdict::layout_like;
}

std::string of_call(const store::PathRecord& path) {
    return path.calls_per_op == 1 ? ""
                                  : fmt::format(", of call {} of the {} that an op makes",
                                                path.call, path.calls_per_op);
}

std::string amount_text(double difference) {
    const std::string number = count_text(std::abs(difference));
    return fmt::format("{} instruction{} {}", number, number == "1" ? "" : "s",
                       difference < 0 ? "fewer" : "more");
}

/// How the machine is to be booted for each arm; the same twice where once is enough.
std::pair<std::string, std::string> boots(const std::string& base, const std::string& change,
                                          const std::string& change_label) {
    const auto before = parse_target(base);
    const auto after = parse_target(change);
    if (!before || !after || before->kind != after->kind || before->subject != after->subject) {
        return {"with A's kernel booted", fmt::format("with {}'s", change_label)};
    }
    const auto line = [](const TargetSpec& target) {
        const auto append = target.option("append");
        return append ? fmt::format("(\"{}\")", *append) : "(nothing added)";
    };
    if (line(*before) != line(*after)) {
        return {fmt::format("with the kernel booted with A's command line {}", line(*before)),
                fmt::format("with {}'s {}", change_label, line(*after))};
    }
    return {"with that kernel booted", "with that kernel booted"};
}

std::string test_text(const store::RunRecord& run, const Row& row,
                      const std::vector<std::string>& commands, const std::string& change) {
    const std::string& base = run.arms[0].target;
    if (is_hosted(base) && is_hosted(run.arms[row.change.arm].target)) {
        return fmt::format("To test it, run where this CPU's counters can be read: {}",
                           fmt::join(commands, " and "));
    }
    const auto [first, second] = boots(base, run.arms[row.change.arm].target, change);
    if (first != second) {
        return commands.size() == 1
                   ? fmt::format("To test it, run on hardware, once {} and once {}: {}", first,
                                 second, commands.front())
                   : fmt::format("To test it, run on hardware, {}: {} and then, {}: {}", first,
                                 commands.front(), second, commands.back());
    }
    return commands.size() == 1
               ? fmt::format("To test it, run on processors like A's and like {}'s, {}: {}", change,
                             first, commands.front())
               : fmt::format("To test it, run on hardware, {}: {}", first,
                             fmt::join(commands, " and "));
}

std::string disagreement(const store::RunRecord& run, const Row& row, const PathReading& reading,
                         const std::string& change) {
    const bool slower = row.decision.verdict == Verdict::slower;
    std::string text = fmt::format(
        "the counts predict another order than the time shows: {} executes {} per op than A, yet "
        "an op takes {} time. ",
        change, amount_text(reading.instructions), slower ? "more" : "less");
    const std::string which = slower ? change : "A";
    if (reading.suspects.empty()) {
        text += fmt::format(
            "Nothing that is counted is more on {}'s path, which leaves layout (where the code "
            "lies) and the machine; a --placebo shows how much layout does.",
            which);
    } else {
        text += fmt::format(
            "Hypothesis: what {}'s path has more of costs more than its number says (from A to {}: "
            "{}).",
            which, change, first_few(reading.suspects));
    }
    if (row.grade == Grade::emulated) {
        text += " Emulated time also shows what is dear to QEMU and not to a processor.";
    }
    return text + " " + test_text(run, row, reading.test_commands, change);
}

/// "By name: lfence 3 → 0, swapgs 2 → 1."; empty where none differs.
std::string specials_sentence(const store::PathRecord& base, const store::PathRecord& change) {
    std::string list;
    for (const std::string& each : store::specials_of(base.counts, change.counts)) {
        const std::uint64_t before = store::special(base.counts, each);
        const std::uint64_t after = store::special(change.counts, each);
        if (before != after) {
            list +=
                fmt::format("{}{} {}", list.empty() ? "" : ", ", each, change_text(before, after));
        }
    }
    return list.empty() ? list : "By name: " + list + ".";
}

std::string identity(std::string_view name) {
    return std::string(name);
}

}  // namespace

std::optional<PathReading> read_path(const Report& report, const Row& row) {
    // A path has functions: one without lost them to damage, and is not the base's for that.
    if (!row.base.path || !row.change.path || row.change.path->functions.empty()) {
        return std::nullopt;
    }
    const Counts& base = row.base.path->counts;
    const Counts& change = row.change.path->counts;
    PathReading reading{.base = &*row.base.path,
                        .change = &*row.change.path,
                        .same = same_path(row.change.path->functions)};
    reading.instructions =
        row.base.count && row.change.count
            ? row.change.count->instructions_per_op - row.base.count->instructions_per_op
            : static_cast<double>(difference_of(base.instructions, change.instructions));
    const Verdict verdict = row.decision.verdict;
    reading.disagree = (verdict == Verdict::slower && reading.instructions < 0) ||
                       (verdict == Verdict::faster && reading.instructions > 0);
    if (reading.disagree) {
        Suspicion suspicion =
            suspect(base, change, verdict == Verdict::slower ? Slower::change : Slower::base);
        reading.test_commands = commands_of(report, row, suspicion.events);
        reading.suspects = std::move(suspicion.texts);
    }
    return reading;
}

std::vector<std::string> path_sentences(const Report& report, const Row& row) {
    const auto reading = read_path(report, row);
    if (!reading) {
        return {};
    }
    const store::RunRecord& run = report.run.run;
    const store::PathRecord& path = *reading->change;
    const std::string change = label(run, row.change.arm);
    const std::string head = run.workloads[row.workload] + ": ";
    std::vector<std::string> sentences;
    if (reading->same) {
        sentences.push_back(fmt::format(
            "{}the path of {} is unchanged{}: the same {} in the same order as on A.{}", head,
            change, of_call(path), plural(path.counts.instructions, "instruction"),
            timed_apart(row) && reading->instructions == 0
                ? " The difference in time is layout (where the code lies) or the machine."
                : ""));
    } else {
        auto functions = function_sentences(path.functions, identity, Telling::brief);
        if (std::string specials = specials_sentence(*reading->base, path); !specials.empty()) {
            functions.push_back(std::move(specials));
        }
        sentences.push_back(fmt::format("{}on the path of {}, against A{}: {} The whole: {}", head,
                                        change, of_call(path), fmt::join(functions, " "),
                                        explain_command(report, row)));
    }
    if (!reading->same && reading->instructions == 0) {
        sentences.push_back(fmt::format(
            "{}A and {} execute as many instructions, but not the same ones, so a difference in "
            "time need not be layout.",
            head, change));
    }
    if (reading->instructions != 0 && row.decision.verdict == Verdict::equivalent) {
        sentences.push_back(fmt::format(
            "{}the instructions changed, the time did not: {} per op, and an op takes the same "
            "time to within the margin.",
            head, amount_text(reading->instructions)));
    }
    if (reading->disagree) {
        sentences.push_back(head + disagreement(run, row, *reading, change));
    }
    return sentences;
}

std::string explain_command(const Report& report, const Row& row) {
    const store::RunRecord& run = report.run.run;
    const std::string& workload = run.workloads[row.workload];
    return fmt::format("kerntoll explain {} {}{}", shell_word(run.arms[0].target),
                       shell_word(run.arms[row.change.arm].target),
                       workload == "getpid" ? "" : " --workload " + shell_word(workload));
}

}  // namespace kerntoll::lab::report
