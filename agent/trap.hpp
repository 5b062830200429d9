// SPDX-License-Identifier: MIT
// Whether a workload's loop really enters the kernel.
#pragma once

namespace kerntoll::agent {

/// real: the architecture's trap instruction. hollow: a no-op of the same length in its place, so
/// that running the loop executes exactly the instructions that the user's side of it costs.
enum class Trap { real, hollow };

}  // namespace kerntoll::agent
