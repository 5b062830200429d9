// SPDX-License-Identifier: MIT
// What happened during a run, and where its numbers come from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::report {
namespace {

using store::ArmRecord;
using store::EventRecord;
using store::Role;
using store::RunState;
using Kind = Note::Kind;

std::string replicates_text(std::size_t replicates) {
    return fmt::format("{} replicate{}", replicates, replicates == 1 ? "" : "s");
}

void add_state(const Report& report, std::vector<Note>& notes) {
    const store::StoredRun& run = report.run;
    const std::string so_far =
        fmt::format("{} in {}", replicates_text(report.replicates), duration_text(run.seconds));
    switch (run.state) {
        case RunState::finished:
            if (report.replicates > 0) {
                notes.push_back({Kind::fact, fmt::format("Ended after {}: {}.", so_far, run.why)});
            }
            break;
        case RunState::running:
            notes.push_back(
                {Kind::event, "This run is being measured at this moment; so far " + so_far + "."});
            break;
        case RunState::interrupted:
            notes.push_back({Kind::event, fmt::format("Interrupted after {} ({}); {} goes on.",
                                                      so_far, run.why, resume_command(run))});
            break;
        case RunState::failed:
            notes.push_back({Kind::event,
                             fmt::format("The measurement failed after {}: {}.", so_far, run.why)});
            break;
    }
}

void add_faults(const Report& report, std::vector<Note>& notes) {
    std::size_t faults = 0;
    std::size_t resumed = 0;
    const EventRecord* last = nullptr;
    for (const EventRecord& event : report.run.events) {
        if (event.kind == "fault") {
            ++faults;
            last = &event;
        }
        resumed += event.kind == "resumed" ? 1 : 0;
    }
    if (last != nullptr) {
        std::string where;
        if (last->arm && *last->arm < report.run.run.arms.size()) {
            where += label(report.run.run, *last->arm);
        }
        if (last->replicate) {
            where += fmt::format("{}in replicate {}", where.empty() ? "" : " ", *last->replicate);
        }
        notes.push_back(
            {Kind::event,
             fmt::format("{} failed and do{} not count; the last, {}: {}.", replicates_text(faults),
                         faults == 1 ? "es" : "", where, last->text),
             last->console});
    }
    if (resumed > 0) {
        notes.push_back({Kind::fact, fmt::format("Measured in {} sessions.", resumed + 1)});
    }
}

/// The text without its numbers: process ids differ from machine to machine.
std::string without_digits(std::string text) {
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
}

/// What was checked to prove that the calls enter the kernel; the same check of several arms once.
void add_proofs(const Report& report, std::vector<Note>& notes) {
    std::set<std::string> seen;
    std::string list;
    std::vector<std::size_t> proofs(report.run.run.arms.size());
    for (const EventRecord& event : report.run.events) {
        if (event.kind != "proof") {
            continue;
        }
        if (event.arm && *event.arm < proofs.size()) {
            ++proofs[*event.arm];
        }
        if (seen.insert(without_digits(event.text)).second) {
            list += (list.empty() ? "" : "; ") + event.text;
        }
    }
    if (!list.empty()) {
        const bool complete = std::ranges::all_of(
            proofs, [&](std::size_t count) { return count >= report.run.run.workloads.size(); });
        notes.push_back({Kind::fact, fmt::format("Proved on {}: {}.",
                                                 complete ? "every arm" : "some arms", list)});
    }
}

/// Remarks of the targets; one that several arms make, once.
void add_remarks(const Report& report, std::vector<Note>& notes) {
    std::vector<std::pair<std::string, std::string>> remarks;  // text, arms
    for (const ArmRecord& arm : report.run.run.arms) {
        if (arm.role == Role::control) {
            continue;  // says what the base says
        }
        for (const std::string& remark : arm.remarks) {
            const std::string who = label(report.run.run, arm.index);
            auto known = std::ranges::find(remarks, remark, &decltype(remarks)::value_type::first);
            if (known == remarks.end()) {
                remarks.emplace_back(remark, who);
            } else {
                known->second += ", " + who;
            }
        }
    }
    for (const auto& [remark, arms] : remarks) {
        notes.push_back({Kind::limit, fmt::format("{}: {}", arms, remark)});
    }
}

/// The first digits of a hash tell images apart for a reader; the JSON form has all of them.
std::string_view shortened(std::string_view value) {
    constexpr std::size_t shortest_hash = 32;
    constexpr std::size_t enough = 12;
    const bool hash = value.size() >= shortest_hash &&
                      value.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return hash ? value.substr(0, enough) : value;
}

/// The facts that a reader asks for first. The others, and these at full length, are in the JSON.
constexpr std::array<std::string_view, 11> leading_facts{
    "cpu_model",    "kernel_release",  "governor",     "boost",        "smt",        "pinned_cpu",
    "image_sha256", "kernel_build_id", "command_line", "qemu_version", "accelerator"};

/// The leading ones of some facts; those that `known` holds too are left out.
std::string facts_text(const Provenance& facts, const Provenance& known) {
    constexpr std::size_t longest = 60;
    std::string text;
    for (const auto& fact : facts) {
        const auto& [key, value] = fact;
        if (value.empty() || std::ranges::find(leading_facts, key) == leading_facts.end() ||
            std::ranges::find(known, fact) != known.end()) {
            continue;
        }
        const std::string_view start = shortened(value).substr(0, longest);
        text += fmt::format("{}{} {}{}", text.empty() ? "" : " · ", key, start,
                            shortened(value).size() > longest ? "…" : "");
    }
    return text;
}

/// The machine, then facts that all arms share, then what each has of its own.
void add_provenance(const Report& report, std::vector<Note>& notes) {
    const auto add = [&](std::string_view whose, const std::string& facts) {
        if (!facts.empty()) {
            notes.push_back({Kind::origin, fmt::format("{}: {}", whose, facts)});
        }
    };
    std::vector<const ArmRecord*> arms;
    for (const ArmRecord& arm : report.run.run.arms) {
        if (arm.role != Role::control) {
            arms.push_back(&arm);
        }
    }
    Provenance known = report.run.run.environment;
    add("Machine", facts_text(known, {}));
    if (arms.size() > 1) {
        Provenance common;
        std::ranges::copy_if(
            arms[0]->provenance, std::back_inserter(common), [&](const auto& fact) {
                return std::ranges::all_of(arms, [&](const ArmRecord* arm) {
                    return std::ranges::find(arm->provenance, fact) != arm->provenance.end();
                });
            });
        add("All arms", facts_text(common, known));
        known.insert(known.end(), common.begin(), common.end());
    }
    for (const ArmRecord* arm : arms) {
        add(label(report.run.run, arm->index), facts_text(arm->provenance, known));
    }
}

/// A command on a stored run, with the results file where it is not the usual one.
std::string command_on(const store::StoredRun& run, std::string_view command) {
    const auto usual = store::default_path();
    const std::string option =
        usual && *usual == run.file ? "" : " --db " + shell_word(run.file.string());
    return fmt::format("kerntoll {} {}{}", command, run.id, option);
}

}  // namespace

std::string_view name(Note::Kind kind) {
    switch (kind) {
        case Kind::meaning:
            return "meaning";
        case Kind::limit:
            return "limit";
        case Kind::event:
            return "event";
        case Kind::fact:
            return "fact";
        case Kind::origin:
            return "origin";
    }
    return "";
}

std::string repeat_command(const store::StoredRun& run) {
    std::string command;
    bool has_seed = false;
    for (const std::string& word : run.run.argv) {
        command += (command.empty() ? "" : " ") + shell_word(word);
        has_seed = has_seed || word == "--seed" || word.starts_with("--seed=");
    }
    if (!has_seed && run.run.command != "count") {
        command += fmt::format(" --seed {}", run.run.seed);
    }
    return command;
}

std::string resume_command(const store::StoredRun& run) {
    return command_on(run, "resume");
}

std::string show_command(const store::StoredRun& run) {
    return command_on(run, "show");
}

void add_run_notes(const Report& report, std::vector<Note>& notes) {
    add_state(report, notes);
    add_faults(report, notes);
    add_remarks(report, notes);
    add_proofs(report, notes);
}

void add_origin_notes(const Report& report, std::vector<Note>& notes) {
    add_provenance(report, notes);
    notes.push_back(
        {Kind::origin,
         fmt::format("Run {} by kerntoll {}; --format json shows all that is known of machines and "
                     "images. Repeat it: {}",
                     report.run.id, report.run.run.version, repeat_command(report.run))});
}

std::vector<Note> notes(const Report& report) {
    std::vector<Note> all;
    add_row_notes(report, all);
    add_run_notes(report, all);
    add_path_notes(report, all);
    add_limit_notes(report, all);
    add_origin_notes(report, all);
    std::vector<Note> sorted;
    for (const Kind kind : {Kind::meaning, Kind::event, Kind::limit, Kind::fact, Kind::origin}) {
        std::ranges::copy_if(all, std::back_inserter(sorted),
                             [&](const Note& note) { return note.kind == kind; });
    }
    return sorted;
}

}  // namespace kerntoll::lab::report
