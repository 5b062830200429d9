// SPDX-License-Identifier: MIT
#include "bench/coverage/simulate.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "lab/experiment/experiment.hpp"
#include "lab/target/sim.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

using namespace lab;

constexpr std::uint32_t control_arm = 1;
constexpr std::uint32_t change_arm = 2;

/// Keeps nothing: the series has all that a verdict needs.
class NoSink : public store::Sink {
public:
    Result<void> batch(const store::BatchRecord&) override { return {}; }
    Result<void> count(const store::CountRecord&) override { return {}; }
    Result<void> path(const store::PathRecord&) override { return {}; }
    Result<void> event(const store::EventRecord&) override { return {}; }
    Result<void> replicate_done(std::uint32_t, double) override { return {}; }
    Result<void> finish(store::RunState, const std::string&) override { return {}; }
};

Result<std::shared_ptr<Target>> open_machine(const Machine& machine, double ns) {
    auto target = open_target(fmt::format("sim:ns={:.6f},{}", ns, machine.options));
    if (!target) {
        return std::unexpected(target.error());
    }
    return std::shared_ptr<Target>(*std::move(target));
}

/// The plan of a comparison; the record's other fields keep the product's defaults.
Result<experiment::Plan> plan_comparison(const Machine& machine, double effect,
                                         std::uint64_t seed) {
    constexpr double base_ns = 100;
    auto base = open_machine(machine, base_ns);
    auto change = open_machine(machine, base_ns * std::exp(effect));
    if (!base || !change) {
        return std::unexpected(base ? change.error() : base.error());
    }
    experiment::Plan plan;
    plan.record.workloads = {"getpid"};
    plan.record.seed = seed;
    plan.record.margin = study_margin;
    plan.record.precision = study_margin / 3;
    plan.arms = experiment::arrange(*base, {*change}, {});
    plan.cpu = 0;
    plan.now = SimulatedClock(seed);
    return plan;
}

}  // namespace

Result<RunResult> simulate(const Machine& machine, double effect, std::uint64_t seed) {
    const auto plan = plan_comparison(machine, effect, seed);
    if (!plan) {
        return std::unexpected(plan.error());
    }
    stats::Series series(plan->arms.size(), 1);
    NoSink sink;
    const auto outcome = run_experiment(*plan, series, sink, {});
    if (!outcome) {
        return std::unexpected(outcome.error());
    }
    stats::Evidence evidence;
    evidence.change = stats::estimate(series.effects(change_arm, 0));
    evidence.control = stats::estimate(series.effects(control_arm, 0));
    evidence.adjusted_p = stats::holm(std::array{evidence.change.p_value}).front();
    evidence.margin = study_margin;
    RunResult result;
    result.estimate = evidence.change;
    result.verdict = stats::decide(evidence).verdict;
    result.precise = stats::precise_enough(std::array{evidence.change}, plan->record.precision,
                                           plan->record.least_replicates);
    return result;
}

Result<std::vector<double>> simulate_effects(const Machine& machine, std::size_t replicates,
                                             std::uint64_t seed) {
    auto plan = plan_comparison(machine, 0, seed);
    if (!plan) {
        return std::unexpected(plan.error());
    }
    plan->record.precision = 0;
    plan->record.max_seconds = 1e9;
    plan->record.most_replicates = static_cast<std::uint32_t>(replicates);
    stats::Series series(plan->arms.size(), 1);
    NoSink sink;
    const auto outcome = run_experiment(*plan, series, sink, {});
    if (!outcome) {
        return std::unexpected(outcome.error());
    }
    return series.effects(change_arm, 0);
}

}  // namespace kerntoll::bench
