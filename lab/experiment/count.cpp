// SPDX-License-Identifier: MIT
#include "lab/experiment/count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kerntoll::lab::experiment {

namespace {

/// Batches of each of the two sizes.
constexpr int batches_per_size = 40;
/// So many undisturbed batches must agree before their duration is believed.
constexpr int least_agreeing = 3;
/// The longer batch should fit between two timer interrupts, of which kernels have up to 1000 a
/// second.
constexpr double longest_batch_ns = 600'000;
/// The counter's tick divided by n: below this, least durations give the count to a fraction of an
/// instruction by themselves.
constexpr double fine_resolution = 1.0 / 16;
constexpr std::uint64_t probe_ops = 128;
constexpr std::uint64_t least_ops = 16;
constexpr std::uint64_t most_ops = 4096;

/// Guest time of a batch in ns, which is in instructions.
double instructions_of(const Sample& sample, std::uint64_t counter_hz) {
    constexpr double ns_per_second = 1e9;
    return counter_hz == 0 ? static_cast<double>(sample.elapsed_ns)
                           : static_cast<double>(sample.ticks) *
                                 (ns_per_second / static_cast<double>(counter_hz));
}

/// What undisturbed batches of one size lasted.
class Durations {
public:
    void add(double duration) { all_.push_back(duration); }

    /// The durations within one tick of the least one are those of undisturbed batches.
    [[nodiscard]] int agreeing(double tick) const {
        return static_cast<int>(std::ranges::count_if(
            all_, [&](double duration) { return duration < least() + 1.5 * tick; }));
    }
    [[nodiscard]] double least() const { return *std::ranges::min_element(all_); }
    /// Their mean: batches begin anywhere within a tick, so that the share of those that read one
    /// tick more tells the duration more finely than the tick does.
    [[nodiscard]] double undisturbed_mean(double tick) const {
        double sum = 0;
        for (const double duration : all_) {
            sum += duration < least() + 1.5 * tick ? duration : 0;
        }
        return sum / agreeing(tick);
    }

private:
    std::vector<double> all_;
};

struct PerOp {
    double instructions = 0;
    bool exact = false;
};

class Counter {
public:
    explicit Counter(Machine& machine)
        : machine_(machine), counter_hz_(machine.identity().counter_hz) {
        constexpr double ns_per_second = 1e9;
        tick_ = counter_hz_ == 0 ? 1 : ns_per_second / static_cast<double>(counter_hz_);
    }

    [[nodiscard]] Result<PerOp> per_op(const Work& work);

private:
    [[nodiscard]] Result<double> batch(const Work& work, std::uint64_t ops);
    [[nodiscard]] Result<std::uint64_t> choose_ops(const Work& work);

    Machine& machine_;
    std::uint64_t counter_hz_;
    double tick_;  ///< the counter's, in instructions
};

Result<double> Counter::batch(const Work& work, std::uint64_t ops) {
    const auto sample = machine_.run(work, ops);
    if (!sample) {
        return std::unexpected(sample.error());
    }
    return instructions_of(*sample, counter_hz_);
}

Result<std::uint64_t> Counter::choose_ops(const Work& work) {
    // The second probe finds everything in place that the first one had to fetch.
    double instructions = 0;
    for (int probe = 0; probe < 2; ++probe) {
        const auto duration = batch(work, probe_ops);
        if (!duration) {
            return std::unexpected(duration.error());
        }
        instructions = std::max(*duration, 1.0) / probe_ops;
    }
    const auto fitting = static_cast<std::uint64_t>(longest_batch_ns / 2 / instructions);
    return std::clamp(fitting, least_ops, most_ops);
}

Result<PerOp> Counter::per_op(const Work& work) {
    const auto ops = choose_ops(work);
    if (!ops) {
        return std::unexpected(ops.error());
    }
    Durations single;
    Durations twofold;
    for (int pair = 0; pair < batches_per_size; ++pair) {
        const auto once = batch(work, *ops);
        if (!once) {
            return std::unexpected(once.error());
        }
        const auto twice = batch(work, 2 * *ops);
        if (!twice) {
            return std::unexpected(twice.error());
        }
        single.add(*once);
        twofold.add(*twice);
    }
    const auto n = static_cast<double>(*ops);
    const bool fine = tick_ / n <= fine_resolution;
    const double difference =
        fine ? twofold.least() - single.least()
             : twofold.undisturbed_mean(tick_) - single.undisturbed_mean(tick_);
    const double instructions = difference / n;
    // Either least duration may be off by a tick; their means by a fraction of one.
    const double resolution = (fine ? 2 : 1) * tick_ / n;
    const double whole = std::round(instructions);
    const bool agreed =
        single.agreeing(tick_) >= least_agreeing && twofold.agreeing(tick_) >= least_agreeing;
    constexpr double widest = 0.4;
    if (agreed && std::abs(instructions - whole) <= std::min(resolution, widest)) {
        return PerOp{whole, true};
    }
    return PerOp{instructions, false};
}

}  // namespace

Result<std::vector<Count>> count_instructions(Target& target,
                                              const std::vector<std::string>& workloads, int cpu) {
    if (!target.can_count()) {
        return fail(Fault::usage,
                    fmt::format("instructions of '{}' cannot be counted; only emulated "
                                "targets can be",
                                target.spec().text));
    }
    Launch how;
    how.cpu = cpu;
    how.count = true;
    auto machine = target.launch(how);
    if (!machine) {
        return std::unexpected(machine.error());
    }
    if (auto ready = (*machine)->wait_ready(); !ready) {
        return std::unexpected(ready.error());
    }
    Counter counter(**machine);
    std::vector<Count> counts;
    for (const std::string& workload : workloads) {
        const auto whole = counter.per_op({workload, false});
        if (!whole) {
            return std::unexpected(whole.error());
        }
        const auto loop = counter.per_op({workload, true});
        if (!loop) {
            return std::unexpected(loop.error());
        }
        counts.push_back(
            {workload, whole->instructions, loop->instructions, whole->exact && loop->exact});
    }
    return counts;
}

}  // namespace kerntoll::lab::experiment
