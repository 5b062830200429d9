// SPDX-License-Identifier: MIT
// What the programs share that run as the first task of nano: they print a line per check and end
// with the number of those that failed, which becomes the machine's exit status. They speak to the
// kernel by the agent's calls and start by its start.S, so one source serves all architectures.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/kernel.hpp"

namespace kerntoll::programs {

using agent::Call;
using agent::kernel;

inline constinit int failures = 0;

inline void print(const char* text) {
    size_t size = 0;
    while (text[size] != '\0') {
        ++size;
    }
    agent::write_some(1, text, size);
}

inline void print(long number) {
    char digits[21] = {};
    size_t at = sizeof digits - 1;
    unsigned long rest =
        number < 0 ? 0UL - static_cast<unsigned long>(number) : static_cast<unsigned long>(number);
    do {
        digits[--at] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0) {
        digits[--at] = '-';
    }
    print(digits + at);
}

/// A line, and one failure more where `actual` is not `expected`.
inline void expect(const char* what, long actual, long expected) {
    const bool good = actual == expected;
    print(good ? "ok " : "FAILED ");
    print(what);
    if (!good) {
        ++failures;
        print(": ");
        print(actual);
        print(" instead of ");
        print(expected);
    }
    print("\n");
}

/// Runs act() in a child and tells how it ended, as wait4 does.
template <class Act>
long end_of_child(Act act) {
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        act();
        agent::exit_process(0);
    }
    if (child < 0) {
        return child;
    }
    int status = -1;
    const long waited = kernel<Call::wait4>(child, agent::as_argument(&status), 0, 0);
    return waited == child ? status : waited;
}

/// The program itself.
void run();

}  // namespace kerntoll::programs

extern "C" [[noreturn]] void kerntoll_agent_main(const uintptr_t*);
