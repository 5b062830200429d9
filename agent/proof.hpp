// SPDX-License-Identifier: MIT
// Steps that several proofs share.
#pragma once

#include "agent/child.hpp"
#include "agent/workload.hpp"

namespace kerntoll::agent {

/// Whether a call that answers with something is refused: the outcome says which call and why.
[[nodiscard]] inline Outcome expect_success(Text call, long result) {
    if (result < 0) {
        return refused(call, " fails with ", describe_error(result).text());
    }
    return ok();
}

/// getpid in a child must answer what clone told its parent.
[[nodiscard]] Outcome prove_process_id();

/// The number that the next dup or open would get, or a negative error.
[[nodiscard]] inline long next_descriptor(long any_open) {
    const long descriptor = kernel<Call::dup>(any_open);
    return descriptor < 0 ? descriptor : (close_file(descriptor), descriptor);
}

/// Opens a file for a workload unless it is open already.
[[nodiscard]] inline Outcome open_once(long& descriptor, const char* path, long flags) {
    if (descriptor >= 0) {
        return ok();
    }
    descriptor = open_file(path, flags);
    if (descriptor < 0) {
        return refused("cannot open ", path, ": ", describe_error(descriptor).text());
    }
    return ok();
}

/// Opens the read end of a pipe without a writer, as UnixBench's syscall program does.
[[nodiscard]] Outcome open_pipe_once(Fixture& fixture);

}  // namespace kerntoll::agent
