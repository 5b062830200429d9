// SPDX-License-Identifier: MIT
// The kernel's own words on the console.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano {

/// A number to be printed in hexadecimal.
struct Hex {
    uint64_t value;
};

void print_one(const char* text);
void print_one(Hex number);
void print_one(long number);
inline void print_one(unsigned long number) {
    print_one(static_cast<long>(number));
}
inline void print_one(int number) {
    print_one(static_cast<long>(number));
}
inline void print_one(unsigned number) {
    print_one(static_cast<long>(number));
}

/// Prints texts and numbers, one after the other.
template <class... Parts>
void print(Parts... parts) {
    (print_one(parts), ...);
}

}  // namespace kerntoll::nano
