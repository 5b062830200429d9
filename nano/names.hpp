// SPDX-License-Identifier: MIT
// Names of the kernel's functions, for panics. nano/build writes them into the section .names after
// linking: lines `ADDRESS NAME\n`, the address in 16 hexadecimal digits, in rising order, then
// zeros.
#pragma once

#include <stdint.h>

namespace kerntoll::nano {

/// Prints `function+0x12` for an address of the kernel's text, the bare address for any other.
void print_place(uintptr_t address);

/// The same for a return address, which may lie behind the function that called: its call may be
/// its last instruction.
void print_caller(uintptr_t address);

/// Whether an address lies in the kernel's text.
[[nodiscard]] bool is_kernel_text(uintptr_t address);

}  // namespace kerntoll::nano
