// SPDX-License-Identifier: MIT
// Names for a path whose kernel has none, from another path.
#pragma once

#include <string>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// Whether any function of a path has a name.
[[nodiscard]] bool has_names(const Anatomy& anatomy);

/// Gives the steps of a path without names to the functions, and to the phases, of the path whose
/// instructions they match, in one order and whatever function these are in; steps between them go
/// with those before. A function of which less than half matches keeps its address. Returns, in
/// sentences, what that can tell and what not.
[[nodiscard]] std::string lend_names(const Anatomy& named, Anatomy& nameless);

}  // namespace kerntoll::lab::path
