// SPDX-License-Identifier: MIT
// What the lab itself costs: the share of time that is not measuring, bringing machines up, memory,
// and a run of a million batches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "lab/base/random.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/store/store.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

using lab::Result;
using lab::experiment::Arm;
using std::chrono::duration;
using std::chrono::nanoseconds;
using Target = std::shared_ptr<lab::Target>;
using Targets = std::vector<Target>;

constexpr double least_share = 0.80;
constexpr double most_boots = 2.0;
constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double most_megabytes = 100;
constexpr double most_seconds = 2.0;

struct Options {
    Form form = Form::full;
    std::string image;
    std::string change = R"(append="mitigations=off")";
    std::uint64_t seed = std::random_device()();
    int cpu = last_cpu();

    [[nodiscard]] std::string base_text() const { return "linux:" + image; }
    [[nodiscard]] std::string change_text() const { return "linux:" + image + "," + change; }
};

Result<Targets> open_targets(const std::vector<std::string>& texts) {
    Targets targets;
    for (const std::string& text : texts) {
        auto target = lab::open_target(text);
        if (!target) {
            return std::unexpected(target.error());
        }
        targets.push_back(*std::move(target));
    }
    return targets;
}

nanoseconds monotonic_now() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

lab::store::RunRecord make_record(const std::vector<Arm>& arms) {
    lab::store::RunRecord record;
    record.command = "compare";
    record.workloads = {"getpid"};
    for (const Arm& arm : arms) {
        record.arms.push_back({.index = static_cast<std::uint32_t>(record.arms.size()),
                               .role = arm.role,
                               .target = arm.target->spec().text,
                               .grade = arm.target->grade(),
                               .scope = arm.target->scope(),
                               .layout_key = arm.target->layout_key(),
                               .provenance = {},
                               .remarks = {}});
    }
    return record;
}

/// A comparison as kerntoll makes it, with a store, and how its time was spent. It never gets as
/// precise as it is asked to be, so that it takes all of its time.
Result<lab::experiment::Outcome> run_for(const Targets& pair, double seconds, double batch_seconds,
                                         const Options& options) {
    const TemporaryDirectory directory;
    auto store =
        lab::store::Store::open(directory.path() / "results.db", lab::store::OpenMode::write);
    if (!store) {
        return std::unexpected(store.error());
    }
    lab::experiment::Plan plan;
    plan.arms = lab::experiment::arrange(pair[0], {pair[1]}, {});
    plan.record = make_record(plan.arms);
    plan.record.seed = options.seed;
    plan.record.max_seconds = seconds;
    plan.record.batch_seconds = batch_seconds;
    plan.record.precision = 1e-6;
    plan.cpu = options.cpu;
    plan.now = monotonic_now;
    const auto run = store->begin_run(plan.record);
    if (!run) {
        return std::unexpected(run.error());
    }
    auto sink = store->sink(*run);
    if (!sink) {
        return std::unexpected(sink.error());
    }
    lab::stats::Series series(plan.arms.size(), 1);
    return lab::experiment::run_experiment(plan, series, **sink, {});
}

Result<void> share_in_batches(Criteria& criteria, const Options& options) {
    struct Case {
        std::string name;
        std::vector<std::string> targets;
        double seconds;
        double batch_seconds;
    };
    const bool full = options.form == Form::full;
    std::vector<Case> cases{{"host", {"host", "host"}, full ? 30.0 : 5.0, 0.02}};
    if (!options.image.empty()) {
        cases.push_back(
            {"guest", {options.base_text(), options.change_text()}, full ? 90.0 : 20.0, 0.05});
    }
    std::vector<std::vector<std::string>> table{
        {"share of time", "replicates", "wall time", "machines up", "in batches", "share"}};
    for (const Case& each : cases) {
        const auto targets = open_targets(each.targets);
        if (!targets) {
            return std::unexpected(targets.error());
        }
        const auto outcome = run_for(*targets, each.seconds, each.batch_seconds, options);
        if (!outcome) {
            return std::unexpected(outcome.error());
        }
        const double share = outcome->seconds_in_batches / outcome->seconds_up;
        table.push_back({each.name, std::to_string(outcome->replicates),
                         fmt::format("{:.1f} s", outcome->seconds),
                         fmt::format("{:.1f} s", outcome->seconds_up),
                         fmt::format("{:.1f} s", outcome->seconds_in_batches),
                         fmt::format("{:.1f} %", 100 * share)});
        criteria.add(
            fmt::format("{}: share inside batches >= {:.0f} %", each.name, 100 * least_share),
            fmt::format("{:.1f} %", 100 * share), share >= least_share);
    }
    print_table(table);
    return {};
}

/// Brings these up side by side, as a replicate does; the seconds until all of them answer.
Result<double> bring_up(const Targets& targets, const Options& options) {
    const auto start = monotonic_now();
    std::vector<std::unique_ptr<lab::Machine>> machines;
    for (const Target& target : targets) {
        lab::Launch how;
        how.cpu = options.cpu;
        auto machine = target->launch(how);
        if (!machine) {
            return std::unexpected(machine.error());
        }
        machines.push_back(*std::move(machine));
    }
    for (const auto& machine : machines) {
        if (auto ready = machine->wait_ready(); !ready) {
            return std::unexpected(ready.error());
        }
        if (auto paused = machine->pause(); !paused) {
            return std::unexpected(paused.error());
        }
    }
    return duration<double>(monotonic_now() - start).count();
}

Result<void> boots_side_by_side(Criteria& criteria, const Options& options) {
    const std::string criterion =
        fmt::format("base, change and control cost <= {} x one boot of the slowest", most_boots);
    if (options.image.empty()) {
        criteria.add(criterion, "no --image was given", Criteria::Result::not_measured);
        return {};
    }
    const auto targets = open_targets({options.base_text(), options.change_text()});
    if (!targets) {
        return std::unexpected(targets.error());
    }
    const Targets replicate{(*targets)[0], (*targets)[1], (*targets)[0]};
    const std::array<Targets, 3> kinds{Targets{(*targets)[0]}, Targets{(*targets)[1]}, replicate};
    std::array<std::vector<double>, 3> seconds;
    const std::uint32_t rounds = options.form == Form::full ? 12 : 3;
    for (std::uint32_t round = 0; round < rounds; ++round) {
        std::array<std::size_t, 3> order{0, 1, 2};
        lab::Random(options.seed, round, 0).shuffle(std::span<std::size_t>(order));
        for (const auto kind : order) {
            const auto took = bring_up(kinds[kind], options);
            if (!took) {
                return std::unexpected(took.error());
            }
            seconds[kind].push_back(*took);
        }
    }
    const double base = lab::stats::median(seconds[0]);
    const double change = lab::stats::median(seconds[1]);
    const auto& slowest = base >= change ? seconds[0] : seconds[1];
    const auto estimate = lab::stats::estimate(log_ratios(slowest, seconds[2]));
    print_table({{"bringing up", "median of " + std::to_string(rounds), "against the slowest"},
                 {"base", fmt::format("{:.2f} s", base), ""},
                 {"change", fmt::format("{:.2f} s", change), ""},
                 {"base, change, control", fmt::format("{:.2f} s", lab::stats::median(seconds[2])),
                  ratio(estimate)}});
    criteria.add(criterion, ratio(estimate), estimate.effect <= std::log(most_boots));
    return {};
}

/// Runs kerntoll, adds its figures to the table and holds its memory against the limit.
class KerntollRuns {
public:
    explicit KerntollRuns(Criteria& criteria) : criteria_(criteria) {}

    Result<double> run(const std::string& name, const std::vector<std::string>& arguments) {
        Command command{.argv = {kerntoll_program().string()}, .at_most = std::chrono::minutes(10)};
        command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
        const auto finished = run_well(command);
        if (!finished) {
            return std::unexpected(finished.error());
        }
        const double megabytes = static_cast<double>(finished->peak_bytes) / mebibyte;
        table_.push_back({name, fmt::format("{:.2f} s", finished->seconds),
                          fmt::format("{:.1f} MB", megabytes)});
        criteria_.add(fmt::format("{}: peak memory < {} MB", name, most_megabytes),
                      fmt::format("{:.1f} MB", megabytes), megabytes < most_megabytes);
        return finished->seconds;
    }
    void print() const { print_table(table_); }

private:
    Criteria& criteria_;
    std::vector<std::vector<std::string>> table_{{"kerntoll", "time", "peak memory"}};
};

/// A run of a million batches: as many replicates as that takes, since they are what the
/// statistics work on.
Result<lab::store::RunId> store_big_run(lab::store::Store& store, std::uint32_t batches) {
    const auto host = open_targets({"host"});
    if (!host) {
        return std::unexpected(host.error());
    }
    const auto arms = lab::experiment::arrange(host->front(), {host->front()}, {});
    const auto record = make_record(arms);
    const auto id = store.begin_run(record);
    if (!id) {
        return std::unexpected(id.error());
    }
    auto sink = store.sink(*id);
    if (!sink) {
        return std::unexpected(sink.error());
    }
    lab::Random random(1);
    const auto columns = static_cast<std::uint32_t>(arms.size());
    const std::uint32_t replicates = batches / (record.blocks * columns) + 1;
    for (std::uint32_t replicate = 0; replicate < replicates; ++replicate) {
        for (std::uint32_t block = 0; block < record.blocks; ++block) {
            for (std::uint32_t arm = 0; arm < columns; ++arm) {
                const std::uint64_t elapsed = 20'000'000 + random.below(1'000'000);
                const lab::Sample sample{.ops = 160'000,
                                         .elapsed_ns = elapsed,
                                         .ticks = elapsed * 26 / 10,
                                         .counters = {}};
                if (auto kept = (*sink)->batch(
                        {replicate, block, arm, arm, 0, monotonic_now().count(), sample});
                    !kept) {
                    return std::unexpected(kept.error());
                }
            }
        }
        if (auto done = (*sink)->replicate_done(replicate, replicate * 0.25); !done) {
            return std::unexpected(done.error());
        }
    }
    if (auto done = (*sink)->finish(lab::store::RunState::finished, "stored by a benchmark");
        !done) {
        return std::unexpected(done.error());
    }
    return id;
}

Result<void> memory_and_big_run(Criteria& criteria, const Options& options) {
    const TemporaryDirectory directory;
    const std::string database = (directory.path() / "results.db").string();
    const bool full = options.form == Form::full;
    KerntollRuns runs(criteria);
    std::vector<std::pair<std::string, std::vector<std::string>>> comparisons{
        {"compare host", {"host", "host"}}};
    if (!options.image.empty()) {
        comparisons.push_back({"compare guest", {options.base_text(), options.change_text()}});
    }
    for (auto [name, arguments] : comparisons) {
        arguments.insert(arguments.begin(), "compare");
        for (const char* word : {"--db", database.c_str(), "--max-time", full ? "30s" : "10s"}) {
            arguments.emplace_back(word);
        }
        if (auto done = runs.run(name, arguments); !done) {
            return std::unexpected(done.error());
        }
    }

    const std::uint32_t batches = full ? 1'000'000 : 50'000;
    auto store = lab::store::Store::open(database, lab::store::OpenMode::write);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto id = store_big_run(*store, batches);
    if (!id) {
        return std::unexpected(id.error());
    }
    const std::string run = std::to_string(*id);
    const std::string file = (directory.path() / "export").string();
    const std::vector<std::pair<std::string, std::vector<std::string>>> readers{
        {"show", {"show", run, "--db", database}},
        {"export CSV", {"export", run, "--db", database, "--output", file}},
        {"export JSON", {"export", run, "--db", database, "--format", "json", "--output", file}}};
    for (const auto& [name, arguments] : readers) {
        const std::string what = fmt::format("{} of {} batches", name, batches);
        const auto seconds = runs.run(what, arguments);
        if (!seconds) {
            return std::unexpected(seconds.error());
        }
        criteria.add(fmt::format("{} < {} s", what, most_seconds),
                     fmt::format("{:.2f} s", *seconds), *seconds < most_seconds);
    }
    runs.print();
    return {};
}

int measure(const Options& options) {
    print_heading(fmt::format("overhead: CPU {}, seed {}, {}", options.cpu, options.seed,
                              options.image.empty() ? "no guest (--image)" : options.image));
    Criteria criteria;
    for (const auto part : {share_in_batches, boots_side_by_side, memory_and_big_run}) {
        if (auto done = part(criteria, options); !done) {
            return give_up(done.error());
        }
        fmt::print("\n");
    }
    return criteria.conclude();
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    namespace bench = kerntoll::bench;
    bench::Options options;
    CLI::App app("What the lab costs beside the measurement.", "overhead");
    app.add_flag_callback(
        "--short", [&options] { options.form = bench::Form::brief; },
        "Short runs and a smaller store: shows that it works");
    app.add_option("--image", options.image, "Linux image whose guests are measured too");
    app.add_option(
        "--change", options.change,
        R"(What the change's target has beside the image (default: append="mitigations=off"))");
    app.add_option("--seed", options.seed, "Of the random orders (default: drawn)");
    app.add_option("--cpu", options.cpu, "CPU to run on (default: the last one)");
    CLI11_PARSE(app, argc, argv);
    return bench::measure(options);
}
