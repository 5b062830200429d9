// SPDX-License-Identifier: MIT
#include "lab/experiment/replicate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "lab/base/random.hpp"

namespace kerntoll::lab::experiment {
namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;

/// What each stream of random numbers of a replicate is for.
enum Purpose : std::uint32_t { starting_order, workload_order, arm_order };

/// A batch shorter than this part of what was asked for makes the next replicate's batches longer.
constexpr double too_short = 0.9;
/// The part of a batch that each machine runs first, unrecorded: it takes the page faults, the
/// emulator's translation and the cold caches of the first calls.
constexpr std::uint64_t warm_up_part = 8;

std::vector<std::uint32_t> shuffled(std::size_t count, Random& random) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(std::span(order));
    return order;
}

std::int64_t realtime_ns() {
    return std::chrono::duration_cast<nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// The machines of one replicate and what is being done with them.
class Replicate {
public:
    Replicate(const Plan& plan, std::uint32_t number) : plan_(plan), number_(number) {}

    std::expected<void, Failure> bring_up();
    std::expected<void, Failure> settle(BatchSizes& sizes, store::Sink& sink);
    std::expected<void, Failure> measure(BatchSizes& sizes, stats::Series& series,
                                         store::Sink& sink);
    [[nodiscard]] double seconds_in_batches() const { return seconds_in_batches_; }

private:
    /// Runs `what` on one machine while the others stand still.
    template <class What>
    auto alone(std::uint32_t arm, What what)
        -> std::expected<typename decltype(what(std::declval<Machine&>()))::value_type, Failure>;
    std::expected<void, Failure> block(std::uint32_t block, std::uint32_t workload,
                                       std::uint64_t ops, stats::Series& series, store::Sink& sink);

    const Plan& plan_;
    std::uint32_t number_;
    std::vector<std::unique_ptr<Machine>> machines_;
    std::vector<double> shortest_;  ///< batch of each workload, seconds
    double seconds_in_batches_ = 0;
};

template <class What>
auto Replicate::alone(std::uint32_t arm, What what)
    -> std::expected<typename decltype(what(std::declval<Machine&>()))::value_type, Failure> {
    Machine& machine = *machines_[arm];
    if (auto running = machine.go_on(); !running) {
        return std::unexpected(Failure{running.error(), arm});
    }
    auto result = what(machine);
    if (!result) {
        return std::unexpected(Failure{result.error(), arm});
    }
    if (auto paused = machine.pause(); !paused) {
        return std::unexpected(Failure{paused.error(), arm});
    }
    return *std::move(result);
}

std::expected<void, Failure> Replicate::bring_up() {
    machines_.resize(plan_.arms.size());
    Random random(plan_.record.seed, number_, starting_order);
    const auto order = shuffled(plan_.arms.size(), random);
    for (const auto arm : order) {
        auto machine = plan_.arms[arm].target->launch({.cpu = plan_.cpu,
                                                       .count = false,
                                                       .seed = plan_.record.seed,
                                                       .replicate = number_,
                                                       .arm = arm});
        if (!machine) {
            return std::unexpected(Failure{machine.error(), arm});
        }
        machines_[arm] = *std::move(machine);
    }
    for (const auto arm : order) {
        if (auto ready = machines_[arm]->wait_ready(); !ready) {
            return std::unexpected(Failure{ready.error(), arm});
        }
        if (auto paused = machines_[arm]->pause(); !paused) {
            return std::unexpected(Failure{paused.error(), arm});
        }
    }
    return {};
}

/// Calibrates and proves what has no batch size yet, then warms every machine up.
std::expected<void, Failure> Replicate::settle(BatchSizes& sizes, store::Sink& sink) {
    const auto least =
        std::chrono::duration_cast<nanoseconds>(duration<double>(plan_.record.batch_seconds));
    for (std::uint32_t workload = 0; workload < sizes.size(); ++workload) {
        const Work work{.workload = plan_.record.workloads[workload]};
        const bool first_time = sizes[workload] == 0;
        for (std::uint32_t arm = 0; arm < machines_.size(); ++arm) {
            if (first_time) {
                auto proof = alone(arm, [&](Machine& machine) { return machine.prove(work); });
                if (!proof) {
                    return std::unexpected(proof.error());
                }
                if (auto kept = sink.event({number_, arm, "proof", *proof, {}}); !kept) {
                    return std::unexpected(Failure{kept.error(), {}});
                }
                auto ops =
                    alone(arm, [&](Machine& machine) { return machine.calibrate(work, least); });
                if (!ops) {
                    return std::unexpected(ops.error());
                }
                sizes[workload] = std::max(sizes[workload], *ops);
            }
        }
        for (std::uint32_t arm = 0; arm < machines_.size(); ++arm) {
            const auto ops = std::max<std::uint64_t>(sizes[workload] / warm_up_part, 1);
            auto warm = alone(arm, [&](Machine& machine) { return machine.run(work, ops); });
            if (!warm) {
                return std::unexpected(warm.error());
            }
        }
    }
    return {};
}

std::expected<void, Failure> Replicate::block(std::uint32_t block, std::uint32_t workload,
                                              std::uint64_t ops, stats::Series& series,
                                              store::Sink& sink) {
    // One purpose number for each (block, workload), beyond the named ones.
    Random random(plan_.record.seed, number_,
                  arm_order + block * static_cast<std::uint32_t>(shortest_.size()) + workload);
    const auto order = shuffled(machines_.size(), random);
    const Work work{.workload = plan_.record.workloads[workload]};
    for (std::uint32_t position = 0; position < order.size(); ++position) {
        const auto arm = order[position];
        auto sample = alone(arm, [&](Machine& machine) { return machine.run(work, ops); });
        if (!sample) {
            return std::unexpected(sample.error());
        }
        if (sample->elapsed_ns == 0 || sample->ops == 0) {
            return std::unexpected(
                Failure{{Fault::measurement,
                         "a batch of " + std::to_string(ops) + " ops of " + work.workload +
                             " took no time by the target's clock",
                         machines_[arm]->console_tail()},
                        arm});
        }
        if (auto kept =
                sink.batch({number_, block, position, arm, workload, realtime_ns(), *sample});
            !kept) {
            return std::unexpected(Failure{kept.error(), {}});
        }
        const auto elapsed = static_cast<double>(sample->elapsed_ns);
        series.add(number_, arm, workload, elapsed / static_cast<double>(sample->ops));
        seconds_in_batches_ += elapsed / 1e9;
        shortest_[workload] = std::min(shortest_[workload], elapsed / 1e9);
    }
    return {};
}

std::expected<void, Failure> Replicate::measure(BatchSizes& sizes, stats::Series& series,
                                                store::Sink& sink) {
    shortest_.assign(sizes.size(), std::numeric_limits<double>::infinity());
    Random random(plan_.record.seed, number_, workload_order);
    for (std::uint32_t number = 0; number < plan_.record.blocks; ++number) {
        for (const auto workload : shuffled(sizes.size(), random)) {
            if (auto done = block(number, workload, sizes[workload], series, sink); !done) {
                return done;
            }
        }
    }
    for (std::size_t workload = 0; workload < sizes.size(); ++workload) {
        const double wanted = plan_.record.batch_seconds;
        if (shortest_[workload] < too_short * wanted) {
            sizes[workload] = static_cast<std::uint64_t>(
                std::ceil(static_cast<double>(sizes[workload]) * wanted / shortest_[workload]));
        }
    }
    return {};
}

}  // namespace

std::expected<Timing, Failure> measure_replicate(const Plan& plan, std::uint32_t number,
                                                 BatchSizes& sizes, stats::Series& series,
                                                 store::Sink& sink) {
    Replicate replicate(plan, number);
    if (auto up = replicate.bring_up(); !up) {
        return std::unexpected(up.error());
    }
    const auto all_up = plan.now();
    if (auto settled = replicate.settle(sizes, sink); !settled) {
        return std::unexpected(settled.error());
    }
    if (auto measured = replicate.measure(sizes, series, sink); !measured) {
        return std::unexpected(measured.error());
    }
    return Timing{duration<double>(plan.now() - all_up).count(), replicate.seconds_in_batches()};
}

}  // namespace kerntoll::lab::experiment
