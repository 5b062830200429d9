// SPDX-License-Identifier: MIT
// One path, or the difference of two, as text for a terminal. Everything that came from an image is
// made harmless on the way.
#pragma once

#include <string>

#include "lab/path/explain.hpp"
#include "lab/report/render.hpp"

namespace kerntoll::lab::path {

enum class Listing {
    brief,  ///< what is needed to see where the instructions are
    full,   ///< and every instruction, of two paths side by side
};

/// The output of `kerntoll trace`: phases, the call tree, what each function costs.
[[nodiscard]] std::string to_text(const Traced& traced, const report::Style& style,
                                  Listing listing);
/// The output of `kerntoll explain`: functions and their fates, sentences, counts before and after,
/// and the instructions that account for the difference.
[[nodiscard]] std::string to_text(const Explanation& explanation, const report::Style& style,
                                  Listing listing);

}  // namespace kerntoll::lab::path
