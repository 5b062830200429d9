// SPDX-License-Identifier: MIT
// Random draws that repeat from a recorded seed, on every platform and in any order of asking: a
// stream is named by (seed, replicate, purpose), so a resumed run draws what it would have drawn.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace kerntoll::lab {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    /// The stream of one purpose in one replicate of a run.
    Random(std::uint64_t seed, std::uint32_t replicate, std::uint32_t purpose) : state_(seed) {
        state_ = next() ^ (std::uint64_t{replicate} << 32U | purpose);
        state_ = next();
    }

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }

    /// Uniform in [0, bound); bound > 0. Draws again where a plain remainder would be biased.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t reject = (0 - bound) % bound;
        std::uint64_t drawn = next();
        while (drawn < reject) {
            drawn = next();
        }
        return drawn % bound;
    }

    /// Fisher–Yates; every order equally likely.
    template <class T>
    void shuffle(std::span<T> items) {
        for (std::size_t left = items.size(); left > 1; --left) {
            std::swap(items[left - 1], items[below(left)]);
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace kerntoll::lab
