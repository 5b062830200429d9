// SPDX-License-Identifier: MIT
#include "nano/names.hpp"

#include <stddef.h>

#include "nano/arch.hpp"
#include "nano/console.hpp"

extern "C" const char kerntoll_nano_image[], kerntoll_nano_text_end[];

namespace kerntoll::nano {

namespace {

constexpr size_t names_size = 16384;  // nano/build knows it too, and refuses more
constexpr size_t address_digits = 16;

// volatile: the compiler must not conclude from this initial value that there are none.
[[gnu::section(".names"), gnu::used]] const volatile char names[names_size] = {};

/// Reads the address of the line at `at`; false where no line begins there.
bool read_address(size_t at, uintptr_t& address) {
    if (at + address_digits >= names_size) {
        return false;
    }
    address = 0;
    for (size_t i = 0; i < address_digits; ++i) {
        const char digit = names[at + i];
        if (digit >= '0' && digit <= '9') {
            address = address * 16 + static_cast<uintptr_t>(digit - '0');
        } else if (digit >= 'a' && digit <= 'f') {
            address = address * 16 + static_cast<uintptr_t>(digit - 'a' + 10);
        } else {
            return false;
        }
    }
    return true;
}

size_t next_line(size_t at) {
    while (at < names_size && names[at] != '\n') {
        ++at;
    }
    return at + 1;
}

/// Prints an address by the function that the byte `before` it lies in.
void print_within(uintptr_t address, uintptr_t before) {
    size_t best = names_size;
    uintptr_t best_address = 0;
    uintptr_t begin = 0;
    for (size_t line = 0; read_address(line, begin); line = next_line(line)) {
        if (begin <= address - before) {
            best = line;
            best_address = begin;
        }
    }
    if (best == names_size || !is_kernel_text(address - before)) {
        print(Hex{address});
        return;
    }
    for (size_t at = best + address_digits + 1; at < names_size && names[at] != '\n'; ++at) {
        const char byte = names[at];
        arch::write_console(&byte, 1);
    }
    print("+", Hex{address - best_address});
}

}  // namespace

bool is_kernel_text(uintptr_t address) {
    return address >= reinterpret_cast<uintptr_t>(kerntoll_nano_image) &&
           address < reinterpret_cast<uintptr_t>(kerntoll_nano_text_end);
}

void print_place(uintptr_t address) {
    print_within(address, 0);
}

void print_caller(uintptr_t address) {
    print_within(address, 1);
}

}  // namespace kerntoll::nano
