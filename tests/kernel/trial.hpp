// SPDX-License-Identifier: MIT
// A trial as it comes from the results file, without anything built or measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/kernel/outcome.hpp"

namespace kerntoll::lab::kernel {

/// An exact count of an arm's first workload.
store::CountRecord count(std::uint32_t arm, double instructions);

/// A function on both paths, or gone from the change's.
store::FunctionChange function(const std::string& name, std::uint64_t base, std::uint64_t change);

/// A port with base, one change and one placebo, which counts as the base does.
PortOutcome measured(Arch arch, double base, double change);

/// A whole trial of these ports.
Outcome outcome_of(std::vector<PortOutcome> ports);

}  // namespace kerntoll::lab::kernel
