// SPDX-License-Identifier: MIT
#include "lab/target/sim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "lab/target/sim_options.hpp"
#include "lab/target/sim_world.hpp"
#include "lab/target/workloads.hpp"

namespace kerntoll::lab {
namespace {

/// The workloads that synthetic machines know, with system calls per op: enough for tables of
/// several rows.
constexpr std::array<std::pair<std::string_view, unsigned>, 3> sim_workloads{
    {{"getpid", 1}, {"getppid", 1}, {"mix", 5}}};

/// What a batch costs beside its ops when instructions are counted (ns, one per instruction).
constexpr double counting_overhead = 1000;

class SimMachine : public Machine {
public:
    SimMachine(const SimOptions& options, const Launch& how, std::shared_ptr<SimWorld> world)
        : options_(options),
          how_(how),
          world_(std::move(world)),
          noise_(noise_stream({how.seed, how.replicate, how.arm})),
          layout_(draw_layout(options, {how.seed, how.replicate, how.arm})) {
        identity_.arch = "simulated";
        identity_.kernel_release = "simulated";
        identity_.page_size = 4096;
        identity_.counter = "ns";
        identity_.counter_hz = 1'000'000'000;
        for (const auto& [name, calls] : sim_workloads) {
            identity_.workloads.emplace_back(name, calls);
        }
        constexpr std::uint32_t control_arm = 1;
        if (how.arm == control_arm) {
            layout_ += options.control;
        }
    }

    Result<void> wait_ready() override {
        world_->pass(options_.boot * 1e9);
        return {};
    }
    [[nodiscard]] const Identity& identity() const override { return identity_; }
    Result<std::uint64_t> calibrate(const Work& work, std::chrono::nanoseconds at_least) override {
        const auto ns = true_ns(work);
        if (!ns) {
            return std::unexpected(ns.error());
        }
        const double ops = std::ceil(static_cast<double>(at_least.count()) / *ns);
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ops));
    }
    Result<Sample> run(const Work& work, std::uint64_t ops) override;
    Result<std::string> prove(const Work& work) override {
        const auto ns = true_ns(work);
        if (!ns) {
            return std::unexpected(ns.error());
        }
        return "nothing: this machine is simulated and has no kernel";
    }
    Result<void> pause() override {
        paused_ = true;
        return {};
    }
    Result<void> go_on() override {
        paused_ = false;
        return {};
    }
    [[nodiscard]] std::vector<std::string> console_tail() const override { return console_; }

private:
    /// What one op takes, or which instructions it has while they are counted.
    [[nodiscard]] Result<double> true_ns(const Work& work) const;

    const SimOptions options_;
    const Launch how_;
    std::shared_ptr<SimWorld> world_;
    Random noise_;
    double layout_;
    Identity identity_;
    bool paused_ = false;
    std::uint64_t batches_ = 0;
    std::vector<std::string> console_;
};

Result<double> SimMachine::true_ns(const Work& work) const {
    const auto* found = std::ranges::find(sim_workloads, work.workload,
                                          [](const auto& known) { return known.first; });
    if (found == sim_workloads.end()) {
        std::vector<std::string_view> names;
        names.reserve(sim_workloads.size());
        for (const auto& [name, calls] : sim_workloads) {
            names.push_back(name);
        }
        return fail(Fault::usage, "simulated machines: " + no_such_workload(work.workload, names));
    }
    const double calls = found->second;
    if (how_.count) {
        const auto loop = static_cast<double>(options_.loop_instructions);
        const auto all = static_cast<double>(options_.instructions.value_or(0));
        return work.hollow ? loop : loop + calls * std::max(0.0, all - loop);
    }
    constexpr double hollow_ns = 1;
    return work.hollow ? hollow_ns : options_.ns * calls;
}

Result<Sample> SimMachine::run(const Work& work, std::uint64_t ops) {
    if (paused_) {
        return fail(Fault::measurement,
                    "a simulated machine was asked to run while it stood still");
    }
    const auto ns = true_ns(work);
    if (!ns) {
        return std::unexpected(ns.error());
    }
    constexpr std::uint64_t fatal_batch = 2;
    if (++batches_ == fatal_batch &&
        (options_.always_fails || options_.failing_replicate == how_.replicate)) {
        console_ = {"simulated machine: panic, as asked"};
        return std::unexpected(
            Error{Fault::measurement,
                  fmt::format("the simulated machine died in replicate {}, as its option fail asks",
                              how_.replicate),
                  console_});
    }
    double elapsed = static_cast<double>(ops) * *ns;
    if (how_.count) {
        elapsed += counting_overhead;
    } else {
        elapsed *= std::exp(layout_ + common_speed(options_, how_.seed, world_->now()) +
                            draw_spread(options_.noise, noise_));
    }
    elapsed = std::max(1.0, std::round(elapsed));
    world_->pass(elapsed);
    Sample sample;
    sample.ops = ops;
    sample.elapsed_ns = static_cast<std::uint64_t>(elapsed);
    sample.ticks = sample.elapsed_ns;
    return sample;
}

class SimTarget : public Target {
public:
    SimTarget(TargetSpec spec, const SimOptions& options)
        : spec_(std::move(spec)), options_(options) {}

    [[nodiscard]] const TargetSpec& spec() const override { return spec_; }
    [[nodiscard]] Grade grade() const override { return Grade::simulated; }
    [[nodiscard]] Scope scope() const override { return options_.scope; }
    [[nodiscard]] bool can_count() const override { return options_.instructions.has_value(); }
    [[nodiscard]] std::string layout_key() const override { return spec_.text; }
    [[nodiscard]] Provenance provenance() const override { return {{"simulated", spec_.text}}; }
    [[nodiscard]] std::vector<std::string> remarks() const override {
        return {"this machine is simulated: its figures are made up from its options"};
    }
    Result<std::unique_ptr<Machine>> launch(const Launch& how) override {
        if (how.count && !can_count()) {
            return fail(Fault::usage,
                        fmt::format("the target '{}' has no instructions to count; give it insns=N",
                                    spec_.text));
        }
        // Held, so that time does not begin anew between two replicates.
        world_ = SimWorld::of(how.seed);
        return std::make_unique<SimMachine>(options_, how, world_);
    }

private:
    const TargetSpec spec_;
    const SimOptions options_;
    std::shared_ptr<SimWorld> world_;
};

}  // namespace

SimulatedClock::SimulatedClock(std::uint64_t seed) : world_(SimWorld::of(seed)) {}

std::chrono::nanoseconds SimulatedClock::operator()() const {
    return world_->now();
}

Result<std::unique_ptr<Target>> open_sim(const TargetSpec& spec) {
    const auto options = read_sim_options(spec);
    if (!options) {
        return std::unexpected(options.error());
    }
    return std::make_unique<SimTarget>(spec, *options);
}

}  // namespace kerntoll::lab
