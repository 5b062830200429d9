// SPDX-License-Identifier: MIT
// The numbers of every architecture that came to Linux after 2012 (asm-generic/unistd.h).
#pragma once

namespace kerntoll::agent::arch {

enum class Call : long {
    dup = 23,
    dup3 = 24,
    fcntl = 25,
    ioctl = 29,
    unlinkat = 35,
    umount2 = 39,
    mount = 40,
    openat = 56,
    close = 57,
    pipe2 = 59,
    lseek = 62,
    read = 63,
    write = 64,
    ppoll = 73,
    newfstatat = 79,
    fstat = 80,
    exit_group = 94,
    clock_gettime = 113,
    clock_getres = 114,
    rt_sigaction = 134,
    reboot = 142,
    setpgid = 154,
    getpgid = 155,
    uname = 160,
    umask = 166,
    prctl = 167,
    getpid = 172,
    getppid = 173,
    getuid = 174,
    brk = 214,
    clone = 220,
    wait4 = 260,
    seccomp = 277,
    memfd_create = 279,
    rseq = 293,
    invalid = 2000,  // Linux is below 500 and grows by a handful a release
};

}  // namespace kerntoll::agent::arch
