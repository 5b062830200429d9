// SPDX-License-Identifier: MIT
#include "agent/measure.hpp"

namespace kerntoll::agent {

Outcome time_batch(Loop loop, uint64_t n, Fixture& fixture, const char* sled_entry, Batch& batch) {
    TimeSpec before{};
    TimeSpec after{};
    const long first = read_clock(before);
    const uint64_t ticks_before = arch::read_counter();
    loop(n, fixture, sled_entry);
    const uint64_t ticks_after = arch::read_counter();
    const long second = read_clock(after);

    if (first != 0 || second != 0) {
        return refused("clock_gettime(CLOCK_MONOTONIC) fails with ",
                       describe_error(first != 0 ? first : second).text());
    }
    const uint64_t begin = in_nanoseconds(before);
    const uint64_t end = in_nanoseconds(after);
    if (end < begin) {
        return fault("CLOCK_MONOTONIC went back by ", begin - end, " ns during a batch of ", n,
                     " ops; this machine's clock cannot be measured by");
    }
    batch = {end - begin, ticks_after - ticks_before};
    return ok();
}

Outcome calibrate(Loop loop, uint64_t at_least_ns, Fixture& fixture, const char* sled_entry,
                  uint64_t& n) {
    constexpr uint64_t first_guess = 16;
    constexpr uint64_t growth = 16;  // while the batch is too short to tell its length from
    constexpr uint64_t standstill = 1U << 26U;  // ops that no machine makes in no time
    n = first_guess;
    for (;;) {
        Batch batch;
        for (int confirmed = 0; confirmed < 2; ++confirmed) {
            const Outcome outcome = time_batch(loop, n, fixture, sled_entry, batch);
            if (!outcome.is_ok()) {
                return outcome;
            }
            if (batch.elapsed_ns < at_least_ns) {
                break;
            }
            if (confirmed == 1) {
                return ok();
            }
        }
        if (batch.elapsed_ns == 0 && n > standstill) {
            return fault("CLOCK_MONOTONIC stood still during ", n, " ops");
        }
        if (n > wire::max_ops / (2 * growth)) {
            return fault("a batch of ", n, " ops lasted ", batch.elapsed_ns, " ns, less than ",
                         at_least_ns, " ns");
        }
        if (batch.elapsed_ns <= at_least_ns / growth) {
            n *= growth;
        } else {
            // An eighth more than the last batch asks for, in units of 1/1024 so that nothing
            // overflows: the factor is below 2 × growth.
            const uint64_t factor = at_least_ns * 1152 / batch.elapsed_ns;
            n = n * factor / 1024 + 1;
        }
    }
}

}  // namespace kerntoll::agent
