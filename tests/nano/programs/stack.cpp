// SPDX-License-Identifier: MIT
// In how many places of the kernel stack 64 calls run, in an image whose umask tells
// (tests/nano/stack_in_umask.cpp).
#include "program.hpp"

namespace kerntoll::programs {

void run() {
    constexpr int calls = 64;
    long places[calls];
    int count = 0;
    for (int i = 0; i < calls; ++i) {
        const long place = agent::arch::call<agent::Trap::real, Call::umask>();
        int known = 0;
        while (known < count && places[known] != place) {
            ++known;
        }
        places[known] = place;
        count += known == count ? 1 : 0;
    }
    print("places ");
    print(count);
    print("\n");
}

}  // namespace kerntoll::programs
