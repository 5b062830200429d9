// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

namespace kerntoll::nano::arch {

inline constexpr uint16_t elf_machine = 22;                 // EM_S390
inline constexpr uint32_t audit_architecture = 0x80000016;  // AUDIT_ARCH_S390X
inline constexpr const char* machine_name = "s390x";

/// Numbers of the calls in calls/table.def (arch/s390/kernel/syscalls/syscall.tbl). As
/// wide as what is dispatched on, or a number that does not exist would be cut to one that does.
enum class Number : unsigned long {
    read = 3,
    write = 4,
    close = 6,
    lseek = 19,
    getpid = 20,
    kill = 37,
    dup = 41,
    ioctl = 54,
    fcntl = 55,
    setpgid = 57,
    umask = 60,
    getppid = 64,
    reboot = 88,
    fstat = 108,
    wait4 = 114,
    clone = 120,
    uname = 122,
    getpgid = 132,
    sched_yield = 158,
    prctl = 172,
    rt_sigreturn = 173,
    rt_sigaction = 174,
    getuid = 199,
    exit_group = 248,
    clock_gettime = 260,
    clock_getres = 261,
    openat = 288,
    newfstatat = 293,
    pipe2 = 325,
    dup3 = 326,
    seccomp = 348,
    memfd_create = 350,
    rseq = 383,
};
/// One more than the highest of them.
inline constexpr unsigned number_end = 384;

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
