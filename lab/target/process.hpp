// SPDX-License-Identifier: MIT
// Machines that are a process of this one, with the agent's protocol on its standard input and
// output.
#pragma once

#include <memory>
#include <string>

#include "lab/base/error.hpp"
#include "lab/target/process_stepper.hpp"
#include "lab/target/target.hpp"
#include "lab/target/wire_machine.hpp"

namespace kerntoll::lab {

/// Whether what the kernel executes for the process is counted by hardware while a batch runs.
enum class KernelCounters { where_there_are_any, none };

/// Starts a program that speaks the protocol, on `cpu` or, with -1, anywhere. The settings need no
/// patience: a process has its own. Fault::environment where it cannot be started.
[[nodiscard]] Result<std::unique_ptr<Machine>> start_process(const std::string& program, int cpu,
                                                             KernelCounters counted,
                                                             WireSettings settings);

/// The same for a hosted program whose batches are stepped through: slower by far.
[[nodiscard]] Result<std::unique_ptr<Machine>> start_stepped_process(const std::string& program,
                                                                     int cpu, ProcessStepPlan plan,
                                                                     WireSettings settings);

}  // namespace kerntoll::lab
