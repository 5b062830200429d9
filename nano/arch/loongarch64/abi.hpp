// SPDX-License-Identifier: MIT
#pragma once

#include "nano/arch/generic_abi.hpp"

namespace kerntoll::nano::arch {

inline constexpr uint16_t elf_machine = 258;                // EM_LOONGARCH
inline constexpr uint32_t audit_architecture = 0xc0000102;  // AUDIT_ARCH_LOONGARCH64
inline constexpr const char* machine_name = "loongarch64";

/// struct sigaction as rt_sigaction takes it: this architecture never had a restorer.
struct UserAction {
    uintptr_t handler;
    uint64_t flags;
    uint64_t mask;
};

/// Order of clone's arguments: flags, stack.
inline constexpr unsigned clone_flags_argument = 0;
inline constexpr unsigned clone_stack_argument = 1;

}  // namespace kerntoll::nano::arch
