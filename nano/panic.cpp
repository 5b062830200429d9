// SPDX-License-Identifier: MIT
#include "nano/panic.hpp"

#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/names.hpp"
#include "nano/task.hpp"

namespace kerntoll::nano {

namespace {

constinit bool panics = false;

/// A fault while a panic is printed must not print another, and so on for ever.
void begin(const char* what) {
    if (panics) {
        arch::power_off(panic_status);
    }
    panics = true;
    print("\nnano: panic: ", what);
}

/// Words on a kernel stack that point into the text: the callers, and a few that are there no more.
void print_callers(uintptr_t stack) {
    constexpr size_t words = 96;
    constexpr int most = 6;
    print(" callers");
    int printed = 0;
    const auto* word = reinterpret_cast<const uintptr_t*>(stack);
    for (size_t i = 0; i < words && printed < most; ++i) {
        if (is_kernel_stack(reinterpret_cast<uintptr_t>(word + i)) && is_kernel_text(word[i])) {
            print(" ");
            print_caller(word[i]);
            ++printed;
        }
    }
}

[[noreturn]] void end() {
    print("\n");
    arch::power_off(panic_status);
}

}  // namespace

void panic(const char* what) {
    begin(what);
    print(" at ");
    print_caller(reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
    print_callers(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
    end();
}

void panic(const char* what, const entry::Frame& frame) {
    begin(what);
    print(" at ");
    print_place(arch::program_counter(frame));
    arch::print_registers(frame);
    print_callers(arch::stack_pointer(frame) / sizeof(uintptr_t) * sizeof(uintptr_t));
    end();
}

void panic_about_overflow(uintptr_t pc, uintptr_t stack) {
    begin("stack overflow in the kernel");
    print(" at ");
    print_place(pc);
    print(" sp=", Hex{stack});
    print_callers(stack / sizeof(uintptr_t) * sizeof(uintptr_t));
    end();
}

}  // namespace kerntoll::nano
