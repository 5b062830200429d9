// SPDX-License-Identifier: MIT
// What only riscv64 has.
#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

namespace {

/// Whether a store-conditional whose reservation was made before a call of that number succeeds;
/// without a call where it is negative.
bool reservation_outlives(long number) {
    alignas(8) static long word = 0;
    long failed = -1;
    if (number < 0) {
        asm volatile("lr.d t0, (%1)\n\tsc.d %0, t0, (%1)"
                     : "=&r"(failed)
                     : "r"(&word)
                     : "t0", "memory");
        return failed == 0;
    }
    register long a7 asm("a7") = number;
    asm volatile("lr.d t0, (%1)\n\tecall\n\tsc.d %0, t0, (%1)"
                 : "=&r"(failed)
                 : "r"(&word), "r"(a7)
                 : "t0", "a0", "memory");
    return failed == 0;
}

}  // namespace

void run() {
    expect("a reservation", reservation_outlives(-1) ? 1 : 0, 1);
    expect("ends in a call", reservation_outlives(static_cast<long>(Call::getpid)) ? 1 : 0, 0);
    expect("and in one that yields", reservation_outlives(call_yield) ? 1 : 0, 0);
}

}  // namespace kerntoll::programs
