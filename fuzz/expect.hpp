// SPDX-License-Identifier: MIT
// What a fuzz target calls where a property does not hold.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace kerntoll::fuzz {

inline void expect(bool holds, const char* property) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", property);
        std::abort();
    }
}

}  // namespace kerntoll::fuzz
