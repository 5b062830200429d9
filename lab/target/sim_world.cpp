// SPDX-License-Identifier: MIT
#include "lab/target/sim_world.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

namespace kerntoll::lab {
namespace {

/// What each stream of random numbers is for; far from the numbers that the experiment uses for its
/// own draws from the same seed. The arm is added.
enum Purpose : std::uint32_t {
    noise_purpose = 0x5100'0000,
    layout_purpose = 0x5200'0000,
    mode_purpose = 0x5300'0000,
    jump_purpose = 0x5400'0000,
    step_purpose = 0x5500'0000,
};

struct Worlds {
    std::mutex mutex;
    std::map<std::uint64_t, std::weak_ptr<SimWorld>> by_seed;
};

/// Never destroyed: a world may be let go while the program ends.
Worlds& worlds() {
    static auto* all = new Worlds;
    return *all;
}

/// Uniform in (0, 1).
double uniform(Random& random) {
    return (static_cast<double>(random.next() >> 11U) + 0.5) * 0x1p-53;
}

/// Standard normal, by Box and Muller.
double gauss(Random& random) {
    const double radius = std::sqrt(-2 * std::log(uniform(random)));
    return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

double gauss_of(std::uint64_t seed, std::uint32_t replicate, std::uint32_t purpose) {
    Random random(seed, replicate, purpose);
    return gauss(random);
}

/// P(Z < z) of the standard normal.
double normal_cumulative(double z) {
    return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double shaped(const SimSpread& spread, double z) {
    double value = z;
    if (spread.shape == SimShape::lognormal) {
        // Median 0, standard deviation 1; exp(1) and its square root are the lognormal's moments.
        static const double deviation = std::sqrt((std::numbers::e - 1) * std::numbers::e);
        value = std::expm1(z) / deviation;
    } else if (spread.shape == SimShape::cauchy) {
        value = std::tan(std::numbers::pi * (normal_cumulative(z) - 0.5));
    }
    constexpr double most = 3;
    return std::clamp(spread.size * value, -most, most);
}

/// A standard normal value for this replicate, related to those of its neighbours as the options
/// ask. A pure function of the place: a resumed run goes on as it would have gone on.
double related_gauss(const SimOptions& options, const SimPlace& place, std::uint32_t purpose) {
    std::uint32_t replicate = place.replicate;
    if (options.hold > 1) {
        // Back to the last replicate at which the layout jumped; the first one always does.
        while (replicate > 0) {
            Random jump(place.seed, replicate, jump_purpose + place.arm);
            if (uniform(jump) < 1 / options.hold) {
                break;
            }
            --replicate;
        }
    }
    if (options.correlation == 0) {
        return gauss_of(place.seed, replicate, purpose + place.arm);
    }
    // The autoregression as the sum over its past, which wraps below replicate 0: so it is
    // stationary from the first one on.
    double weight = std::sqrt(1 - options.correlation * options.correlation);
    double value = 0;
    for (std::uint32_t lag = 0; std::abs(weight) > 1e-4; ++lag) {
        value += weight * gauss_of(place.seed, replicate - lag, purpose + place.arm);
        weight *= options.correlation;
    }
    return value;
}

}  // namespace

std::shared_ptr<SimWorld> SimWorld::of(std::uint64_t seed) {
    Worlds& all = worlds();
    const std::scoped_lock lock(all.mutex);
    auto& entry = all.by_seed[seed];
    std::shared_ptr<SimWorld> world = entry.lock();
    if (!world) {
        world = std::shared_ptr<SimWorld>(new SimWorld, [seed](SimWorld* gone) {
            delete gone;
            Worlds& left = worlds();
            const std::scoped_lock again(left.mutex);
            const auto found = left.by_seed.find(seed);
            if (found != left.by_seed.end() && found->second.expired()) {
                left.by_seed.erase(found);
            }
        });
        entry = world;
    }
    return world;
}

double draw_spread(const SimSpread& spread, Random& random) {
    return spread.size == 0 ? 0 : shaped(spread, gauss(random));
}

double draw_layout(const SimOptions& options, const SimPlace& place) {
    double layout = 0;
    if (options.layout.size != 0) {
        layout += shaped(options.layout, related_gauss(options, place, layout_purpose));
    }
    if (options.mode_distance != 0 &&
        normal_cumulative(related_gauss(options, place, mode_purpose)) < options.mode_share) {
        layout += options.mode_distance;
    }
    return layout;
}

double common_speed(const SimOptions& options, std::uint64_t seed, std::chrono::nanoseconds now) {
    const double seconds = std::chrono::duration<double>(now).count();
    double speed = options.drift * seconds;
    if (options.step != 0) {
        const auto interval = static_cast<std::uint32_t>(seconds / options.every);
        speed += options.step * gauss_of(seed, interval, step_purpose);
    }
    return speed;
}

Random noise_stream(const SimPlace& place) {
    return {place.seed, place.replicate, noise_purpose + place.arm};
}

}  // namespace kerntoll::lab
