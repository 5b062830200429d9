// SPDX-License-Identifier: MIT
// read: lmbench's `lat_syscall read`: one byte of /dev/zero.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Read {
    struct Operands {
        long descriptor;
        long buffer;
    };
    static Operands operands(const Fixture& fixture) {
        return {fixture.zero, as_argument(fixture.input)};
    }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        arch::call<trap, Call::read>(operands.descriptor, operands.buffer, 1);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        const Outcome opened = open_once(fixture.zero, "/dev/zero", open_flag::read_only);
        return opened.is_ok() ? expect_success("read", read_some(fixture.zero, fixture.input, 1))
                              : opened;
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        constexpr char untouched = 0x5a;
        fixture.input[0] = untouched;
        fixture.input[1] = untouched;
        run_one_op<Read>(fixture);
        if (fixture.input[0] != 0 || fixture.input[1] != untouched) {
            return fault("the loop read one byte of /dev/zero, but the buffer holds ",
                         static_cast<long>(fixture.input[0]), " and ",
                         static_cast<long>(fixture.input[1]));
        }
        return ok("the loop overwrote one byte of a filled buffer with the zero of /dev/zero, and ",
                  "not the next");
    }
};

}  // namespace kerntoll::agent
