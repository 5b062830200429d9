// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

namespace kerntoll::lab {

/// Does all jobs, as many at a time as this process has CPUs, and returns when the last one is
/// done. They begin in their order. A job must not throw.
void side_by_side(const std::vector<std::function<void()>>& jobs);

}  // namespace kerntoll::lab
