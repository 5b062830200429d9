// SPDX-License-Identifier: MIT
// Linux's interface on x86-64, which has numbers and structures of its own
// (arch/x86/entry/syscalls/syscall_64.tbl, arch/x86/include/uapi/asm/{stat,signal}.h).
#pragma once

#include <stdint.h>

namespace kerntoll::nano::arch {

inline constexpr uint16_t elf_machine = 62;                 // EM_X86_64
inline constexpr uint32_t audit_architecture = 0xc000003e;  // AUDIT_ARCH_X86_64
inline constexpr const char* machine_name = "x86_64";

/// Numbers of the calls in calls/table.def. As wide as what is dispatched on, or a number that does
/// not exist would be cut to one that does.
enum class Number : unsigned long {
    read = 0,
    write = 1,
    close = 3,
    fstat = 5,
    lseek = 8,
    rt_sigaction = 13,
    rt_sigreturn = 15,
    ioctl = 16,
    sched_yield = 24,
    dup = 32,
    getpid = 39,
    clone = 56,
    wait4 = 61,
    kill = 62,
    uname = 63,
    fcntl = 72,
    umask = 95,
    getuid = 102,
    setpgid = 109,
    getppid = 110,
    getpgid = 121,
    prctl = 157,
    reboot = 169,
    clock_gettime = 228,
    clock_getres = 229,
    exit_group = 231,
    openat = 257,
    newfstatat = 262,
    dup3 = 292,
    pipe2 = 293,
    seccomp = 317,
    memfd_create = 319,
    rseq = 334,
};
/// One more than the highest of them.
inline constexpr unsigned number_end = 335;

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
