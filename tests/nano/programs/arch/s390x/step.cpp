// SPDX-License-Identifier: MIT
// Calls in single steps, in an image whose umask turns these on and off and counts them
// (tests/nano/bug_test.cpp).
#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

namespace {

struct Seen {
    long by_register;     ///< what `svc 0` answered, whose number is in r1
    long by_instruction;  ///< what `svc 20` answered
    long steps;
};

Seen step() {
    Seen seen{};
    asm volatile(
        "lghi %%r2, 1\n\t"
        "svc 60\n\t"  // umask: on
        "nopr\n\t"
        "lghi %%r1, 20\n\t"
        "svc 0\n\t"  // getpid
        "lgr %[by_register], %%r2\n\t"
        "svc 20\n\t"
        "lgr %[by_instruction], %%r2\n\t"
        "nopr\n\t"
        "lghi %%r2, 0\n\t"
        "svc 60\n\t"  // umask: off; how many there were
        "lgr %[steps], %%r2"
        : [by_register] "=&d"(seen.by_register), [by_instruction] "=&d"(seen.by_instruction),
          [steps] "=&d"(seen.steps)
        :
        : "r1", "r2", "cc", "memory");
    return seen;
}

}  // namespace

void run() {
    for (int round = 0; round < 3; ++round) {
        const Seen seen = step();
        expect("a call by its register", seen.by_register, agent::process_id());
        expect("a call by its instruction", seen.by_instruction, agent::process_id());
        // Every instruction but the calls, whose handler runs once, from its beginning.
        expect("steps", seen.steps, 6);
    }
}

}  // namespace kerntoll::programs
