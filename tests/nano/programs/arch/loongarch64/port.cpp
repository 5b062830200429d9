// SPDX-License-Identifier: MIT
// What only loongarch64 has.
#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

namespace {

/// Whether a store-conditional whose reservation was made before a call of that number succeeds;
/// without a call where it is negative.
bool reservation_outlives(long number) {
    alignas(8) static long word = 0;
    long done = 0;
    if (number < 0) {
        asm volatile("ll.d %0, %1, 0\n\tsc.d %0, %1, 0" : "=&r"(done) : "r"(&word) : "memory");
        return done == 1;
    }
    register long* address asm("$s0") = &word;
    register long a7 asm("$a7") = number;
    asm volatile("ll.d $t0, %1, 0\n\tsyscall 0\n\tori %0, $zero, 1\n\tsc.d %0, %1, 0"
                 : "=&r"(done)
                 : "r"(address), "r"(a7)
                 : "$a0", "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
    return done == 1;
}

}  // namespace

void run() {
    expect("a reservation", reservation_outlives(-1) ? 1 : 0, 1);
    expect("ends in a call", reservation_outlives(static_cast<long>(Call::getpid)) ? 1 : 0, 0);
    expect("and in one that yields", reservation_outlives(call_yield) ? 1 : 0, 0);
}

}  // namespace kerntoll::programs
