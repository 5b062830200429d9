// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab {

/// The CPUs that this process may run on (sched_getaffinity(2)), ascending and at least one.
/// Fault::environment where the kernel does not tell.
[[nodiscard]] Result<std::vector<int>> usable_cpus();

}  // namespace kerntoll::lab
