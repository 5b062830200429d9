// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

namespace kerntoll::nano::arch {

inline constexpr uint16_t elf_machine = 22;                 // EM_S390
inline constexpr uint32_t audit_architecture = 0x80000016;  // AUDIT_ARCH_S390X
inline constexpr const char* machine_name = "s390x";

/// Which of the numbers in a row of calls/table.def is the one here.
#define KERNTOLL_NUMBER(generic, x86_64, s390x) s390x

/// struct stat (arch/s390/include/uapi/asm/stat.h).
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
    int64_t times[6];
    int64_t block_size;
    int64_t blocks;
    uint64_t reserved[3];
};
static_assert(sizeof(FileStatus) == 144);

/// struct sigaction as rt_sigaction takes it.
struct UserAction {
    uintptr_t handler;
    uint64_t flags;
    uintptr_t restorer;
    uint64_t mask;
};

/// Order of clone's arguments: stack before flags.
inline constexpr unsigned clone_flags_argument = 1;
inline constexpr unsigned clone_stack_argument = 0;

}  // namespace kerntoll::nano::arch
