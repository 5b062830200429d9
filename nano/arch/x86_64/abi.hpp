// SPDX-License-Identifier: MIT
// Linux's interface on x86-64, which has numbers and structures of its own
// (arch/x86/entry/syscalls/syscall_64.tbl, arch/x86/include/uapi/asm/{stat,signal}.h).
#pragma once

#include <stdint.h>

namespace kerntoll::nano::arch {

inline constexpr uint16_t elf_machine = 62;                 // EM_X86_64
inline constexpr uint32_t audit_architecture = 0xc000003e;  // AUDIT_ARCH_X86_64
inline constexpr const char* machine_name = "x86_64";

/// Which of the numbers in a row of calls/table.def is the one here.
#define KERNTOLL_NUMBER(generic, x86_64, s390x) x86_64

/// struct stat.
struct FileStatus {
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    uint32_t mode;
    uint32_t user;
    uint32_t group;
    uint32_t padding;
    uint64_t special_device;
    int64_t size;
    int64_t block_size;
    int64_t blocks;
    int64_t times[6];
    int64_t reserved[3];
};
static_assert(sizeof(FileStatus) == 144);

/// struct sigaction as rt_sigaction takes it.
struct UserAction {
    uintptr_t handler;
    uint64_t flags;
    uintptr_t restorer;
    uint64_t mask;
};

/// Order of clone's arguments: flags, stack, parent's tid, child's tid, TLS.
inline constexpr unsigned clone_flags_argument = 0;
inline constexpr unsigned clone_stack_argument = 1;

}  // namespace kerntoll::nano::arch
