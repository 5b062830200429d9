// SPDX-License-Identifier: MIT
// System call numbers of s390x (arch/s390/kernel/syscalls/syscall.tbl). Where there are two, the
// one with 32-bit user ids.
#pragma once

namespace kerntoll::agent::arch {

enum class Call : long {
    read = 3,
    write = 4,
    close = 6,
    lseek = 19,
    getpid = 20,
    mount = 21,
    dup = 41,
    brk = 45,
    umount2 = 52,
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
    prctl = 172,
    rt_sigaction = 174,
    getuid = 199,
    exit_group = 248,
    clock_gettime = 260,
    clock_getres = 261,
    openat = 288,
    newfstatat = 293,
    unlinkat = 294,
    ppoll = 302,
    pipe2 = 325,
    dup3 = 326,
    seccomp = 348,
    memfd_create = 350,
    rseq = 383,
    invalid = 2000,  // Linux is below 500 and grows by a handful a release
};

}  // namespace kerntoll::agent::arch
