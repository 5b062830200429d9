// SPDX-License-Identifier: MIT
// `sim:` targets: machines that exist in this process only, measure in simulated time, and whose
// true effect is known (log of the ratio of their `ns`). The statistics are tested on them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

class SimWorld;

/// The clock of the simulated machines of one run, for experiments that should last as long as
/// those machines believe: it stands still unless one of them boots or measures. Keeps its world
/// alive. All arms of a run share it, by Launch::seed.
class SimulatedClock {
public:
    explicit SimulatedClock(std::uint64_t seed);
    [[nodiscard]] std::chrono::nanoseconds operator()() const;

private:
    std::shared_ptr<SimWorld> world_;
};

/// Makes a `sim:` target; its options are in sim_options.hpp. Everything a machine draws is a
/// function of Launch's seed, replicate and arm, so runs repeat and resume.
[[nodiscard]] Result<std::unique_ptr<Target>> open_sim(const TargetSpec& spec);

}  // namespace kerntoll::lab
