// SPDX-License-Identifier: MIT
// Keeps the cache of kernels from growing without end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kerntoll::lab::kernel {

/// What may stay. Of each kind goes first what was used longest ago.
struct CacheLimits {
    std::size_t copies = 4;                      ///< of trees, with their objects
    std::size_t bases = 12;                      ///< object trees in one copy
    std::uint64_t image_bytes = 10'000'000'000;  ///< of all kernels together
    std::chrono::hours unused{24 * 14};          ///< copies, logs and notes go after so long
};

/// What is gone.
struct Tidied {
    std::size_t copies = 0;
    std::size_t bases = 0;
    std::size_t kernels = 0;
    /// "2 copies of sources and 1 kernel"; empty where nothing is worth telling.
    [[nodiscard]] std::string text() const;
};

/// Removes from the cache what is beyond the limits and what killed programs have left there.
/// Nothing that another kerntoll is building from, building or using is touched. What cannot be
/// removed stays without a word: it is in nobody's way.
Tidied tidy_cache(const CacheLimits& limits = {});

}  // namespace kerntoll::lab::kernel
