// SPDX-License-Identifier: MIT
// The tables that the text and the Markdown form share.
#pragma once

#include <vector>

#include "lab/path/explain.hpp"
#include "lab/path/grid.hpp"

namespace kerntoll::lab::path {

/// Of one path: the phases and their counts.
[[nodiscard]] Grid phases_grid(const Anatomy& anatomy);
/// Of one path: its functions in path order, with the counts that fit beside their names. What the
/// whole path has none of has no column.
[[nodiscard]] Grid functions_grid(const Anatomy& anatomy);
/// Of one path: instructions with and without those of the frames inside, and the call tree.
[[nodiscard]] Grid tree_grid(const Anatomy& anatomy);

/// Of two paths: the functions, their fates and their instructions before and after. On long paths
/// the unchanged ones are one row.
[[nodiscard]] Grid functions_grid(const Explanation& explanation);
/// Of two paths: the instructions of each phase, before and after.
[[nodiscard]] Grid phases_grid(const Explanation& explanation);
/// Of two paths: the counts that differ, before and after.
[[nodiscard]] Grid counts_grid(const Explanation& explanation);

}  // namespace kerntoll::lab::path
