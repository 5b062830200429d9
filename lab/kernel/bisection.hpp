// SPDX-License-Identifier: MIT
// What the commits of a bisection can be held against.
#pragma once

#include <string>

#include "lab/base/error.hpp"
#include "lab/kernel/tree.hpp"

namespace kerntoll::lab::kernel {

/// Fault::usage where a name is no good commit for every step of a bisection (git-bisect(1)): it
/// follows HEAD, so that each commit is held against itself or a neighbour, or it is the commit
/// that the bisection goes out from as bad. Any of these would be called good to the end.
[[nodiscard]] Result<void> check_good(const Tree& tree, const std::string& name);

}  // namespace kerntoll::lab::kernel
