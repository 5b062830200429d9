// SPDX-License-Identifier: MIT
#include "lab/experiment/count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kerntoll::lab::experiment {

namespace {

/// Batches of each of the two sizes: no fewer, and no more where the count is not clear by then.
constexpr int least_batches = 20;
constexpr int most_batches = 50;
/// So many undisturbed batches must agree before their duration is believed.
constexpr int least_agreeing = 4;
/// The longer batch should fit between two timer interrupts. Kernels have 1000, 250 or 100 a
/// second: the first length always fits, the second one often.
constexpr double short_batch_ns = 600'000;
constexpr double long_batch_ns = 2'800'000;
/// The counter's tick divided by n: below this, least durations give the count to a fraction of an
/// instruction by themselves.
constexpr double fine_resolution = 1.0 / 16;
constexpr std::uint64_t probe_ops = 128;
constexpr std::uint64_t least_ops = 16;
constexpr std::uint64_t most_ops = 4096;
/// The shorter batch where every instruction is counted by itself: a tenth of a million are, in a
/// second.
constexpr std::uint64_t stepped_ops = 4;

/// Guest time of a batch in ns, which is in instructions.
double instructions_of(const Sample& sample, std::uint64_t counter_hz) {
    constexpr double ns_per_second = 1e9;
    return counter_hz == 0 ? static_cast<double>(sample.elapsed_ns)
                           : static_cast<double>(sample.ticks) *
                                 (ns_per_second / static_cast<double>(counter_hz));
}

/// What batches of one size lasted. Those within one tick of the least one were not disturbed.
class Durations {
public:
    explicit Durations(double tick) : tick_(tick) {}

    void add(double duration) {
        all_.push_back(duration);
        least_ = std::min(least_, duration);
    }
    [[nodiscard]] double least() const { return least_; }
    [[nodiscard]] int undisturbed() const {
        return static_cast<int>(
            std::ranges::count_if(all_, [&](double duration) { return is_undisturbed(duration); }));
    }
    /// Batches begin anywhere within a tick, so that the share of those that read one tick more
    /// tells the duration more finely than the tick does.
    [[nodiscard]] double undisturbed_mean() const {
        double sum = 0;
        for (const double duration : all_) {
            sum += is_undisturbed(duration) ? duration : 0;
        }
        return sum / undisturbed();
    }

private:
    [[nodiscard]] bool is_undisturbed(double duration) const {
        return duration < least_ + 1.5 * tick_;
    }

    double tick_;
    std::vector<double> all_;
    double least_ = std::numeric_limits<double>::infinity();
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
    /// The instructions of one op that the machine's counter leaves out.
    [[nodiscard]] double uncounted(const std::string& workload) const;

private:
    [[nodiscard]] Result<PerOp> per_op_by_time(const Work& work);
    [[nodiscard]] Result<PerOp> per_op_by_steps(const Work& work);
    [[nodiscard]] Result<double> batch(const Work& work, std::uint64_t ops);
    [[nodiscard]] Result<double> probe(const Work& work);
    [[nodiscard]] PerOp conclude(const Durations& single, const Durations& twofold,
                                 std::uint64_t ops) const;
    [[nodiscard]] Result<PerOp> measure(const Work& work, std::uint64_t ops);

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

/// About how many instructions an op has.
Result<double> Counter::probe(const Work& work) {
    // The second batch finds everything in place that the first one had to fetch.
    double least = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < 2; ++repetition) {
        const auto duration = batch(work, probe_ops);
        if (!duration) {
            return std::unexpected(duration.error());
        }
        least = std::min(least, *duration);
    }
    return std::max(least, 1.0) / probe_ops;
}

PerOp Counter::conclude(const Durations& single, const Durations& twofold,
                        std::uint64_t ops) const {
    const auto n = static_cast<double>(ops);
    double instructions = (twofold.least() - single.least()) / n;
    double resolution = 2 * tick_ / n;
    if (tick_ / n > fine_resolution) {
        instructions = (twofold.undisturbed_mean() - single.undisturbed_mean()) / n;
        // Three standard deviations of that difference; one reading's is at most half a tick.
        resolution = 3 * 0.5 * tick_ / n *
                     std::sqrt(1.0 / single.undisturbed() + 1.0 / twofold.undisturbed());
    }
    constexpr double coarsest = 0.4;
    const double whole = std::round(instructions);
    if (std::min(single.undisturbed(), twofold.undisturbed()) >= least_agreeing &&
        resolution <= coarsest && std::abs(instructions - whole) <= resolution) {
        return {whole, true};
    }
    return {instructions, false};
}

Result<PerOp> Counter::measure(const Work& work, std::uint64_t ops) {
    Durations single(tick_);
    Durations twofold(tick_);
    PerOp result;
    for (int pair = 1; pair <= most_batches && !result.exact; ++pair) {
        const auto once = batch(work, ops);
        if (!once) {
            return std::unexpected(once.error());
        }
        const auto twice = batch(work, 2 * ops);
        if (!twice) {
            return std::unexpected(twice.error());
        }
        single.add(*once);
        twofold.add(*twice);
        if (pair >= least_batches) {
            result = conclude(single, twofold, ops);
        }
    }
    return result;
}

Result<PerOp> Counter::per_op(const Work& work) {
    const auto first = machine_.run(work, stepped_ops);
    if (!first) {
        return std::unexpected(first.error());
    }
    return first->counters.instructions ? per_op_by_steps(work) : per_op_by_time(work);
}

/// Nothing else is in these counts, so short batches do, and few of them.
Result<PerOp> Counter::per_op_by_steps(const Work& work) {
    std::array<double, least_agreeing> counts{};
    for (double& count : counts) {
        const auto once = machine_.run(work, stepped_ops);
        if (!once) {
            return std::unexpected(once.error());
        }
        const auto twice = machine_.run(work, 2 * stepped_ops);
        if (!twice) {
            return std::unexpected(twice.error());
        }
        count = (static_cast<double>(twice->counters.instructions.value_or(0)) -
                 static_cast<double>(once->counters.instructions.value_or(0))) /
                static_cast<double>(stepped_ops);
    }
    const auto [least, most] = std::ranges::minmax(counts);
    return PerOp{least, least == most && std::round(least) == least};
}

Result<PerOp> Counter::per_op_by_time(const Work& work) {
    const auto instructions = probe(work);
    if (!instructions) {
        return std::unexpected(instructions.error());
    }
    Result<PerOp> result;
    for (const double longest : {short_batch_ns, long_batch_ns}) {
        const auto fitting = static_cast<std::uint64_t>(longest / 2 / *instructions);
        result = measure(work, std::clamp(fitting, least_ops, most_ops));
        if (!result || result->exact) {
            break;
        }
    }
    return result;
}

double Counter::uncounted(const std::string& workload) const {
    const Identity& identity = machine_.identity();
    const auto known = std::ranges::find(identity.workloads, workload,
                                         &decltype(identity.workloads)::value_type::first);
    const unsigned calls = known == identity.workloads.end() ? 0 : known->second;
    return static_cast<double>(identity.uncounted_per_call) * calls;
}

}  // namespace

Result<std::vector<Count>> count_instructions(Target& target,
                                              const std::vector<std::string>& workloads) {
    if (!target.can_count()) {
        return fail(Fault::usage,
                    fmt::format("instructions of '{}' cannot be counted; those of emulated targets "
                                "and of hosted: can be",
                                target.spec().text));
    }
    Launch how;
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
        counts.push_back({workload, whole->instructions + counter.uncounted(workload),
                          loop->instructions, whole->exact && loop->exact});
    }
    return counts;
}

}  // namespace kerntoll::lab::experiment
