// SPDX-License-Identifier: MIT
// Where two paths differ: function by function, and instruction by instruction within them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// One line of the side-by-side listing: a step of A, of B, or of both where they match.
struct Pair {
    std::optional<std::uint32_t> base;    ///< index into Anatomy::steps of A
    std::optional<std::uint32_t> change;  ///< of B
};

using store::Fate;

struct FunctionDifference {
    std::string name;
    Fate fate = Fate::unchanged;
    std::string
        into;     ///< of what was inlined: the function that holds it now, where that can be told
    Counts base;  ///< all zero where it is not on A's path
    Counts change;
    /// Bytes of the function's code in the image; 0 where the image has no such function, nothing
    /// where that is not known.
    std::optional<std::uint64_t> base_size = {};
    std::optional<std::uint64_t> change_size = {};
    /// Instructions gained (positive) or lost by this function.
    [[nodiscard]] std::int64_t instructions() const {
        return static_cast<std::int64_t>(change.instructions) -
               static_cast<std::int64_t>(base.instructions);
    }
};

struct Difference {
    std::vector<FunctionDifference> functions;  ///< in path order, A's first where they interleave
    std::vector<Pair> pairs;                    ///< the whole alignment, in path order
    /// change.total - base.total instructions: always the exact sum over `functions`.
    std::int64_t instructions = 0;
};

/// Aligns two paths by function and then by instruction (without addresses: an instruction that
/// only moved is the same one). Runs in well under a second for paths of ten thousand instructions.
[[nodiscard]] Difference compare(const Anatomy& base, const Anatomy& change);

}  // namespace kerntoll::lab::path
