// SPDX-License-Identifier: MIT
// Linux's interface on the architectures that came to it after 2012 (asm-generic/unistd.h, stat.h).
#pragma once

#include <stdint.h>

namespace kerntoll::nano::arch {

/// Numbers of the calls in calls/table.def. As wide as what is dispatched on, or a number that does
/// not exist would be cut to one that does.
enum class Number : unsigned long {
    dup = 23,
    dup3 = 24,
    fcntl = 25,
    ioctl = 29,
    openat = 56,
    close = 57,
    pipe2 = 59,
    lseek = 62,
    read = 63,
    write = 64,
    newfstatat = 79,
    fstat = 80,
    exit_group = 94,
    sched_yield = 124,
    kill = 129,
    rt_sigaction = 134,
    rt_sigreturn = 139,
    clock_gettime = 113,
    clock_getres = 114,
    reboot = 142,
    setpgid = 154,
    getpgid = 155,
    uname = 160,
    umask = 166,
    prctl = 167,
    getpid = 172,
    getppid = 173,
    getuid = 174,
    clone = 220,
    wait4 = 260,
    seccomp = 277,
    memfd_create = 279,
    rseq = 293,
};
/// One more than the highest of them.
inline constexpr unsigned number_end = 294;

/// struct stat.
struct FileStatus {
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
    uint32_t links;
    uint32_t user;
    uint32_t group;
    uint64_t special_device;
    uint64_t padding_1;
    int64_t size;
    int32_t block_size;
    int32_t padding_2;
    int64_t blocks;
    int64_t times[6];
    uint32_t reserved[2];
};
static_assert(sizeof(FileStatus) == 128);

}  // namespace kerntoll::nano::arch
