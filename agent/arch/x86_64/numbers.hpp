// SPDX-License-Identifier: MIT
// System call numbers of x86-64 (arch/x86/entry/syscalls/syscall_64.tbl).
#pragma once

namespace kerntoll::agent::arch {

enum class Call : long {
    read = 0,
    write = 1,
    close = 3,
    fstat = 5,
    lseek = 8,
    brk = 12,
    rt_sigaction = 13,
    ioctl = 16,
    dup = 32,
    getpid = 39,
    clone = 56,
    wait4 = 61,
    uname = 63,
    fcntl = 72,
    umask = 95,
    getuid = 102,
    setpgid = 109,
    getppid = 110,
    getpgid = 121,
    prctl = 157,
    mount = 165,
    umount2 = 166,
    reboot = 169,
    clock_gettime = 228,
    clock_getres = 229,
    exit_group = 231,
    openat = 257,
    newfstatat = 262,
    unlinkat = 263,
    ppoll = 271,
    dup3 = 292,
    pipe2 = 293,
    seccomp = 317,
    memfd_create = 319,
    rseq = 334,
    invalid = 2000,  // Linux is below 600 and grows by a handful a release
};

}  // namespace kerntoll::agent::arch
