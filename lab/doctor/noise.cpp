// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lab/doctor/evidence.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::lab::doctor {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t processes = 5;
// Long enough that a timer interrupt or two do not decide it, short enough for some 40 a process.
constexpr nanoseconds batch_length = std::chrono::milliseconds(10);
constexpr std::size_t least_batches = 5;

/// 1.4826 times the median absolute deviation, which is a normal distribution's standard deviation,
/// as a share of the median.
double scatter(const std::vector<double>& values) {
    const double centre = stats::median(values);
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double value : values) {
        deviations.push_back(std::abs(value - centre));
    }
    constexpr double normal = 1.4826;
    return centre > 0 ? normal * stats::median(deviations) / centre : 0;
}

/// Times per op of one process's batches.
Result<std::vector<double>> measure_process(Target& target, nanoseconds duration,
                                            const Launch& how) {
    auto machine = target.launch(how);
    if (!machine) {
        return std::unexpected(machine.error());
    }
    if (auto ready = (*machine)->wait_ready(); !ready) {
        return std::unexpected(ready.error());
    }
    const Work work{.workload = "getpid"};
    const auto ops = (*machine)->calibrate(work, batch_length);
    if (!ops) {
        return std::unexpected(ops.error());
    }
    std::vector<double> times;
    nanoseconds spent{};
    while (spent < duration || times.size() < least_batches) {
        const auto sample = (*machine)->run(work, *ops);
        if (!sample) {
            return std::unexpected(sample.error());
        }
        if (sample->elapsed_ns == 0 || sample->ops == 0) {
            return fail(Fault::measurement, "the clock stood still over a batch of getpid");
        }
        spent += nanoseconds(sample->elapsed_ns);
        times.push_back(static_cast<double>(sample->elapsed_ns) / static_cast<double>(sample->ops));
    }
    return times;
}

}  // namespace

Result<NoiseFloor> measure_noise(Target& target, nanoseconds duration, int cpu) {
    std::vector<double> centres;
    std::vector<double> scatters;
    for (std::uint32_t replicate = 0; replicate < processes; ++replicate) {
        const auto times =
            measure_process(target, duration / processes, {.cpu = cpu, .replicate = replicate});
        if (!times) {
            return std::unexpected(times.error());
        }
        centres.push_back(stats::median(*times));
        scatters.push_back(scatter(*times));
    }
    return NoiseFloor{.ns_per_op = stats::median(centres),
                      .within = stats::median(scatters),
                      .between = scatter(centres),
                      .processes = processes,
                      .batch = batch_length};
}

}  // namespace kerntoll::lab::doctor
