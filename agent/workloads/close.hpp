// SPDX-License-Identifier: MIT
// close: UnixBench's `close` mode: close(dup(fd)), fd being the read end of a pipe whose write end
// is closed.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Close {
    struct Operands {
        long pipe;
    };
    static Operands operands(const Fixture& fixture) { return {fixture.pipe}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        const long descriptor = arch::call<trap, Call::dup>(operands.pipe);
        arch::call<trap, Call::close>(descriptor);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        const Outcome opened = open_pipe_once(fixture);
        return opened.is_ok() ? expect_success("dup", next_descriptor(fixture.pipe)) : opened;
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        const long next = next_descriptor(fixture.pipe);
        const long descriptor = kernel<Call::dup>(fixture.pipe);
        const long first = close_file(descriptor);
        const long second = close_file(descriptor);
        if (descriptor != next || first != 0 || second != -error::bad_descriptor) {
            return fault("dup answered ", descriptor, " where ", next, " was free, close ", first,
                         ", a second close ", second, " instead of EBADF");
        }
        run_one_op<Close>(fixture);
        if (next_descriptor(fixture.pipe) != next) {
            return fault("the loop left descriptor ", next, " open");
        }
        return ok("dup gives the lowest free descriptor ", next,
                  ", closing it twice gives EBADF, and the loop leaves none open");
    }
};

}  // namespace kerntoll::agent
