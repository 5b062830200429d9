// SPDX-License-Identifier: MIT
// write: lmbench's `lat_syscall write`: one byte to /dev/null.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Write {
    struct Operands {
        long descriptor;
        long buffer;
    };
    static Operands operands(const Fixture& fixture) {
        return {fixture.null, as_argument(fixture.output)};
    }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        arch::call<trap, Call::write>(operands.descriptor, operands.buffer, 1);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        const Outcome opened = open_once(fixture.null, "/dev/null", open_flag::write_only);
        return opened.is_ok() ? expect_success("write", write_some(fixture.null, fixture.output, 1))
                              : opened;
    }

    /// /dev/null keeps nothing that could be looked at, so the same loop writes into a pipe once.
    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        int ends[2] = {-1, -1};
        if (const Outcome piped =
                expect_success("pipe2", kernel<Call::pipe2>(as_argument(ends), 0));
            !piped.is_ok()) {
            return piped;
        }
        const long null = fixture.null;
        fixture.null = ends[1];
        fixture.output[0] = 0x5a;
        run_one_op<Write>(fixture);
        fixture.null = null;
        fixture.input[0] = 0;
        close_file(ends[1]);
        const long got = read_some(ends[0], fixture.input, 2);
        close_file(ends[0]);
        if (got != 1 || fixture.input[0] != fixture.output[0]) {
            return fault("the loop wrote one byte into a pipe, but ", got, " came out");
        }
        const long written = write_some(null, fixture.output, 1);
        if (written != 1) {
            return fault("write to /dev/null answers ", written, " instead of 1");
        }
        return ok("the loop's byte came out of a pipe put in place of /dev/null, and /dev/null ",
                  "takes 1");
    }
};

}  // namespace kerntoll::agent
