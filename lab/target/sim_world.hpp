// SPDX-License-Identifier: MIT
// What the synthetic machines of one run share, and what they draw.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "lab/base/random.hpp"
#include "lab/target/sim_options.hpp"

namespace kerntoll::lab {

/// Simulated time of one run: it passes while a machine boots or measures, and at no other time.
class SimWorld {
public:
    /// The world of a run's seed; there is one as long as anyone holds it.
    [[nodiscard]] static std::shared_ptr<SimWorld> of(std::uint64_t seed);

    [[nodiscard]] std::chrono::nanoseconds now() const {
        return std::chrono::nanoseconds(now_ns_.load());
    }
    void pass(double ns) { now_ns_ += static_cast<std::int64_t>(ns); }

private:
    std::atomic<std::int64_t> now_ns_ = 0;
};

/// Which machine of which run draws.
struct SimPlace {
    std::uint64_t seed = 0;
    std::uint32_t replicate = 0;
    std::uint32_t arm = 0;
};

/// One log-difference of the given spread; bounded to ±3, so that no batch lasts for ever.
[[nodiscard]] double draw_spread(const SimSpread& spread, Random& random);

/// The log-difference that the machine's layout makes for as long as it is up.
[[nodiscard]] double draw_layout(const SimOptions& options, const SimPlace& place);

/// The log-difference that drift and steps make at a moment, the same for all machines of a run.
[[nodiscard]] double common_speed(const SimOptions& options, std::uint64_t seed,
                                  std::chrono::nanoseconds now);

/// The stream of a machine's batch noise.
[[nodiscard]] Random noise_stream(const SimPlace& place);

}  // namespace kerntoll::lab
