// SPDX-License-Identifier: MIT
#pragma once

#include "nano/arch/generic_abi.hpp"

namespace kerntoll::nano::arch {

inline constexpr uint16_t elf_machine = 183;                // EM_AARCH64
inline constexpr uint32_t audit_architecture = 0xc00000b7;  // AUDIT_ARCH_AARCH64
inline constexpr const char* machine_name = "aarch64";

/// struct sigaction as rt_sigaction takes it.
struct UserAction {
    uintptr_t handler;
    uint64_t flags;
    uintptr_t restorer;
    uint64_t mask;
};

/// Order of clone's arguments: flags, stack, parent's tid, then TLS before the child's tid.
inline constexpr unsigned clone_flags_argument = 0;
inline constexpr unsigned clone_stack_argument = 1;

}  // namespace kerntoll::nano::arch
