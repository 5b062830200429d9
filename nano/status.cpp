// SPDX-License-Identifier: MIT
#include "nano/status.hpp"

#include "nano/arch.hpp"
#include "nano/memory.hpp"

namespace kerntoll::nano {

arch::FileStatus status_of(const FileKind& kind, const File* file) {
    constexpr uint64_t block = 512;  // stat's unit, whatever a file is made of
    arch::FileStatus status{};
    status.device = 1;
    status.inode = kind.inode;
    status.mode = kind.mode;
    status.links = 1;
    status.block_size = page_size;
    if (kind.size != nullptr) {
        const uint64_t size = kind.size(file);
        status.size = static_cast<int64_t>(size);
        status.blocks = static_cast<int64_t>((size + block - 1) / block);
    }
    return status;
}

}  // namespace kerntoll::nano
