// SPDX-License-Identifier: MIT
#include "nano/console.hpp"

#include "nano/arch.hpp"

namespace kerntoll::nano {

void print_one(const char* text) {
    size_t size = 0;
    while (text[size] != '\0') {
        ++size;
    }
    arch::write_console(text, size);
}

void print_one(Hex number) {
    char digits[16];
    size_t at = sizeof digits;
    uint64_t rest = number.value;
    do {
        digits[--at] = "0123456789abcdef"[rest % 16];
        rest /= 16;
    } while (rest != 0);
    print_one("0x");
    arch::write_console(digits + at, sizeof digits - at);
}

void print_one(long number) {
    char digits[20];
    size_t at = sizeof digits;
    // Not -number: the most negative one has no positive.
    uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    do {
        digits[--at] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0) {
        print_one("-");
    }
    arch::write_console(digits + at, sizeof digits - at);
}

}  // namespace kerntoll::nano
