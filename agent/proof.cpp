// SPDX-License-Identifier: MIT
#include "agent/proof.hpp"

namespace kerntoll::agent {

Outcome expect_success(Text call, long result) {
    if (result < 0) {
        return refused(call, " fails with ", describe_error(result).text());
    }
    return ok();
}

// Weak: such a port brings its own.
[[gnu::weak]] Outcome prove_entries(const WorkloadRow&, Fixture&) {
    return ok();
}

long next_descriptor(long any_open) {
    const long descriptor = kernel<Call::dup>(any_open);
    if (descriptor >= 0) {
        close_file(descriptor);
    }
    return descriptor;
}

long keep_descriptor(long descriptor) {
    constexpr long duplicate = 0;  // F_DUPFD
    constexpr long least = 16;
    const long kept = kernel<Call::fcntl>(descriptor, duplicate, least);
    if (kept >= 0) {
        close_file(descriptor);
    }
    return kept;
}

Outcome open_once(long& descriptor, const char* path, long flags) {
    if (descriptor >= 0) {
        return ok();
    }
    descriptor = open_file(path, flags);
    if (descriptor < 0) {
        return refused("cannot open ", path, ": ", describe_error(descriptor).text());
    }
    descriptor = keep_descriptor(descriptor);
    return expect_success("fcntl with F_DUPFD", descriptor);
}

Outcome prove_process_id() {
    const long own = process_id();
    const ChildReport child = ask_child([](long* values) { values[0] = process_id(); });
    if (child.clone_result < 0) {
        return ok("getpid answers ", own, "; not proved by a child, since clone fails with ",
                  describe_error(child.clone_result).text());
    }
    if (!child.complete) {
        return fault("the child that was to call getpid ended without an answer");
    }
    if (child.values[0] != child.clone_result) {
        return fault("clone told of child ", child.clone_result, ", but getpid in it answers ",
                     child.values[0]);
    }
    if (own == child.clone_result || process_id() != own) {
        return fault("getpid answered ", own, " and then ", process_id(), " in one process");
    }
    return ok("getpid in a child answers the ", child.clone_result, " that clone told, here ", own);
}

Outcome open_pipe_once(Fixture& fixture) {
    if (fixture.pipe >= 0) {
        return ok();
    }
    int ends[2] = {-1, -1};
    const Outcome outcome = expect_success("pipe2", kernel<Call::pipe2>(as_argument(ends), 0));
    if (outcome.is_ok()) {
        close_file(ends[1]);
        fixture.pipe = keep_descriptor(ends[0]);
        return expect_success("fcntl with F_DUPFD", fixture.pipe);
    }
    return outcome;
}

}  // namespace kerntoll::agent
