// SPDX-License-Identifier: MIT
// Random numbers for the tests of the statistics: the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "lab/base/random.hpp"

namespace kerntoll::lab::stats {

/// Uniform in (0, 1).
inline double uniform(Random& random) {
    return (static_cast<double>(random.next() >> 11U) + 0.5) * 0x1p-53;
}

/// Standard normal, by Box and Muller.
inline double gauss(Random& random) {
    const double radius = std::sqrt(-2 * std::log(uniform(random)));
    return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

template <class Draw>
std::vector<double> draws(std::size_t count, Draw draw) {
    std::vector<double> values(count);
    for (double& value : values) {
        value = draw();
    }
    return values;
}

}  // namespace kerntoll::lab::stats
