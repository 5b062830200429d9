// SPDX-License-Identifier: MIT
// Steps that several proofs share.
#pragma once

#include "agent/child.hpp"
#include "agent/workload.hpp"

namespace kerntoll::agent {

/// ok where a call answered with a result; else which call is refused, and why.
[[nodiscard]] Outcome expect_success(Text call, long result);

/// getpid in a child must answer what clone told its parent.
[[nodiscard]] Outcome prove_process_id();

/// What a port can show of one op beyond what the calls answer, where its entry path can be looked
/// into (hosted/); ok without a sentence elsewhere.
[[nodiscard]] Outcome prove_entries(const WorkloadRow& row, Fixture& fixture);

/// The number that the next dup or open would get, or a negative error.
[[nodiscard]] long next_descriptor(long any_open);

/// Moves a descriptor that stays open away from the lowest numbers: what dup and open get, and with
/// it the instructions that the kernel needs to find it, must not depend on which workloads were
/// prepared before. Gives the new number, or a negative error.
[[nodiscard]] long keep_descriptor(long descriptor);

/// Opens a file for a workload unless it is open already.
[[nodiscard]] Outcome open_once(long& descriptor, const char* path, long flags);

/// Opens the read end of a pipe without a writer, as UnixBench's syscall program does.
[[nodiscard]] Outcome open_pipe_once(Fixture& fixture);

}  // namespace kerntoll::agent
