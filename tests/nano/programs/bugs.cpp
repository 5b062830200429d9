// SPDX-License-Identifier: MIT
// Makes the call that has a bug in images that are made so (tests/nano/bug_test.cpp).
#include "program.hpp"

namespace kerntoll::programs {

namespace {

int word = 1;

/// Comes back at once, whoever calls it.
[[gnu::noinline]] void come_back() {
    asm volatile("");
}

}  // namespace

void run() {
    const auto code = reinterpret_cast<uintptr_t>(&come_back);
    const long answer = agent::arch::call<agent::Trap::real, Call::umask>(agent::as_argument(&word),
                                                                          static_cast<long>(code));
    expect("the kernel got away with it", answer, -16);
    expect("and left the word as it was", word, 1);
}

}  // namespace kerntoll::programs
