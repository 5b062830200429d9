// SPDX-License-Identifier: MIT
// Linux's interface on the architectures that came to it after 2012 (asm-generic/unistd.h, stat.h).
#pragma once

#include <stdint.h>

namespace kerntoll::nano::arch {

/// Which of the numbers in a row of calls/table.def is the one here.
#define KERNTOLL_NUMBER(generic, x86_64, s390x) generic

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
