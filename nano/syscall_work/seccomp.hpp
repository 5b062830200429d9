// SPDX-License-Identifier: MIT
// seccomp filters: classic BPF over the number and the arguments of a call.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano {

/// struct sock_filter.
struct FilterInstruction {
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t constant;
};
static_assert(sizeof(FilterInstruction) == 8);

/// One filter per task; Linux stacks them.
struct SeccompFilter {
    static constexpr size_t most = 64;
    size_t length = 0;
    FilterInstruction program[most] = {};
};

/// Whether a program ends whatever a call looks like: it knows every instruction, jumps forward and
/// within itself, reads within struct seccomp_data, and its last instruction returns.
[[nodiscard]] bool is_sound(const SeccompFilter& filter);

/// The filter that Switch::seccomp installs: it loads an argument and allows.
void install_argument_filter();

}  // namespace kerntoll::nano
