// SPDX-License-Identifier: MIT
// How a session begins: as a new run, or where an earlier one stopped.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <utility>

#include "cli/cpu.hpp"
#include "cli/results.hpp"
#include "cli/session.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/target/host_facts.hpp"
#include "lab/target/sim.hpp"

namespace kerntoll::cli {
namespace {

using lab::experiment::Arm;
using lab::experiment::Plan;

constexpr double default_max_seconds = 120;
constexpr double hardware_batch_seconds = 0.02;
constexpr double emulated_batch_seconds = 0.05;

/// What a resumed run must know beside RunRecord's own fields stands among its environment.
constexpr std::string_view cpu_key = "pinned_cpu";

std::uint64_t draw_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32U | device();
}

bool any_of_grade(const std::vector<Arm>& arms, lab::Grade grade) {
    return std::ranges::any_of(arms,
                               [grade](const Arm& arm) { return arm.target->grade() == grade; });
}

/// The clock that limits the measurement: simulated machines take no real time, so among themselves
/// they are measured by theirs.
std::function<std::chrono::nanoseconds()> clock_of(const std::vector<Arm>& arms,
                                                   std::uint64_t seed) {
    const bool all_simulated = std::ranges::all_of(
        arms, [](const Arm& arm) { return arm.target->grade() == lab::Grade::simulated; });
    if (all_simulated) {
        return lab::SimulatedClock(seed);
    }
    return [] {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
    };
}

lab::store::RunRecord make_record(const std::string& command, const std::vector<std::string>& argv,
                                  const MeasureOptions& options, const std::vector<Arm>& arms,
                                  int cpu) {
    lab::store::RunRecord record;
    record.command = command;
    record.argv = argv;
    record.workloads = options.workloads;
    record.seed = options.seed.value_or(draw_seed());
    record.margin = options.margin;
    record.precision = options.limits.precision.value_or(options.margin / 3);
    record.max_seconds = options.limits.max_seconds.value_or(default_max_seconds);
    record.batch_seconds = options.batch_seconds.value_or(
        any_of_grade(arms, lab::Grade::emulated) ? emulated_batch_seconds : hardware_batch_seconds);
    record.blocks = options.blocks;
    record.most_replicates = options.most_replicates;
    record.version = KERNTOLL_VERSION;
    record.environment = lab::host_facts();
    record.environment.emplace_back(cpu_key, std::to_string(cpu));
    record.arms = describe(arms);
    return record;
}

/// Fault::usage where a run that only counts has a target that cannot be counted.
lab::Result<void> check_countable(std::string_view command, const std::vector<Arm>& arms) {
    for (const Arm& arm : arms) {
        if (purpose_of(command) == Purpose::counting && !arm.target->can_count()) {
            return lab::fail(
                lab::Fault::usage,
                fmt::format("instructions of {} cannot be counted: only emulated and hosted "
                            "targets can, such as nano:ARCH, linux:IMAGE,accel=tcg and hosted:",
                            arm.target->spec().text));
        }
    }
    return {};
}

/// The CPU that an earlier session of this run was pinned to.
std::optional<int> earlier_cpu(const lab::Provenance& environment) {
    for (const auto& [key, value] : environment) {
        int cpu = 0;
        if (key == cpu_key &&
            std::from_chars(value.data(), value.data() + value.size(), cpu).ec == std::errc{}) {
            return cpu;
        }
    }
    return std::nullopt;
}

/// Whether a run with this command line counts: what it was begun without, it goes on without.
Counting counting_of(const std::vector<std::string>& argv) {
    return std::ranges::find(argv, no_count_option) == argv.end() ? Counting::on : Counting::off;
}

/// Whether the paths of a run are still to be recorded. What failed once is not tried again.
PathRecording recording_of(const lab::store::StoredRun& stored) {
    const auto& argv = stored.run.argv;
    const bool done = !stored.paths.empty() ||
                      std::ranges::find(stored.events, "path", &lab::store::EventRecord::kind) !=
                          stored.events.end();
    const bool wanted =
        stored.run.command == "compare" && std::ranges::find(argv, no_path_option) == argv.end();
    return wanted && !done ? PathRecording::on : PathRecording::off;
}

}  // namespace

lab::Result<Session> begin_session(const std::string& command, const std::vector<std::string>& argv,
                                   const TargetTexts& texts, const MeasureOptions& options,
                                   const StoreOptions& store_options) {
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    const auto cpu = choose_cpu(options.cpu);
    if (!cpu) {
        return std::unexpected(cpu.error());
    }
    auto arms = open_arms(texts, purpose_of(command));
    if (!arms) {
        return std::unexpected(arms.error());
    }
    if (auto countable = check_countable(command, *arms); !countable) {
        return std::unexpected(countable.error());
    }
    auto store = open_store(store_options, lab::store::OpenMode::write);
    if (!store) {
        return std::unexpected(store.error());
    }
    auto record = make_record(command, argv, options, *arms, *cpu);
    const auto id = store->begin_run(record);
    if (!id) {
        return std::unexpected(id.error());
    }
    auto sink = store->sink(*id);
    if (!sink) {
        return std::unexpected(sink.error());
    }
    auto clock = clock_of(*arms, record.seed);
    Plan plan{std::move(record), *std::move(arms), *cpu, 0, 0, std::move(clock)};
    return Session{*std::move(store), *id, *std::move(sink), std::move(plan), options.counting,
                   options.recording, {}};
}

lab::Result<Session> resume_session(const std::string& run, const lab::store::Limits& limits,
                                    const StoreOptions& store_options) {
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    auto store = open_store(store_options, lab::store::OpenMode::write);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto id = find_run(*store, run);
    if (!id) {
        return std::unexpected(id.error());
    }
    auto stored = store->load(*id);
    if (!stored) {
        return std::unexpected(stored.error());
    }
    const auto earlier = earlier_cpu(stored->run.environment);
    const auto cpu = choose_cpu(earlier);
    if (!cpu) {
        return lab::fail(cpu.error().fault,
                         fmt::format("run {} was measured on CPU {} and cannot go on: {}", *id,
                                     earlier.value_or(-1), cpu.error().message));
    }
    auto arms = reopen_arms(*stored);
    if (!arms) {
        return std::unexpected(arms.error());
    }
    const auto first = store->next_replicate(*id);
    if (!first) {
        return std::unexpected(first.error());
    }
    auto sink = store->reopen(*id, limits);
    if (!sink) {
        return std::unexpected(sink.error());
    }
    auto clock = clock_of(*arms, stored->run.seed);
    Plan plan{stored->run, *std::move(arms), *cpu, *first, stored->seconds, std::move(clock)};
    plan.record.max_seconds = limits.max_seconds.value_or(plan.record.max_seconds);
    plan.record.precision = limits.precision.value_or(plan.record.precision);
    const Counting counting = counting_of(stored->run.argv);
    const PathRecording recording = recording_of(*stored);
    return Session{*std::move(store), *id,       *std::move(sink),         std::move(plan),
                   counting,          recording, std::move(stored->counts)};
}

}  // namespace kerntoll::cli
