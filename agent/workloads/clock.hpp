// SPDX-License-Identifier: MIT
// clock: clock_gettime(CLOCK_MONOTONIC) as a real call, past the vDSO.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Clock {
    struct Operands {
        long time;
    };
    static Operands operands(const Fixture& fixture) { return {as_argument(&fixture.time)}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        arch::call<trap, Call::clock_gettime>(static_cast<long>(ClockId::monotonic), operands.time);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        return expect_success("clock_gettime(CLOCK_MONOTONIC)", read_clock(fixture.time));
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        constexpr int64_t not_a_part_of_a_second = -1;
        fixture.time = {0, not_a_part_of_a_second};
        TimeSpec before{};
        TimeSpec after{};
        read_clock(before);
        run_one_op<Clock>(fixture);
        read_clock(after);
        const uint64_t found = in_nanoseconds(fixture.time);
        if (fixture.time.nanoseconds < 0 || found < in_nanoseconds(before) ||
            found > in_nanoseconds(after)) {
            return fault("the loop read ", found, " ns between ", in_nanoseconds(before), " and ",
                         in_nanoseconds(after));
        }
        // A coarse clock stands still between two calls, but not for this many of them.
        constexpr int patience = 10'000'000;
        for (int i = 0; i < patience && in_nanoseconds(after) == found; ++i) {
            read_clock(after);
        }
        if (in_nanoseconds(after) <= found) {
            return fault("CLOCK_MONOTONIC stands still at ", found, " ns");
        }
        return ok(
            "the loop overwrote a filled time by one between a reading before and one after, ",
            "and the clock goes on");
    }
};

}  // namespace kerntoll::agent
