// SPDX-License-Identifier: MIT
#include "lab/target/memory_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kerntoll::lab {
namespace {

std::unexpected<Error> fail_errno(const char* what) {
    return fail(Fault::environment, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Result<MemoryFile> MemoryFile::create(std::string_view label) {
    Fd fd(memfd_create(std::string(label).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) {
        return fail_errno("cannot make a file in memory");
    }
    auto above = above_standard(std::move(fd));
    if (!above) {
        return std::unexpected(above.error());
    }
    return MemoryFile(*std::move(above));
}

Result<MemoryFile> MemoryFile::holding(std::string_view label, std::string_view bytes) {
    auto file = create(label);
    if (!file) {
        return file;
    }
    auto filled = file->append(std::as_bytes(std::span(bytes)));
    if (filled) {
        filled = file->seal();
    }
    if (!filled) {
        return std::unexpected(filled.error());
    }
    return file;
}

Result<void> MemoryFile::append(std::span<const std::byte> bytes) {
    return write_at(size_, bytes);
}

Result<void> MemoryFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
    std::uint64_t at = offset;
    while (!bytes.empty()) {
        const ssize_t wrote = pwrite(fd(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return fail_errno("cannot write a file in memory");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
        at += static_cast<std::uint64_t>(wrote);
    }
    size_ = at > size_ ? at : size_;
    return {};
}

Result<void> MemoryFile::seal() {
    constexpr int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    if (fcntl(fd(), F_GET_SEALS) != all && fcntl(fd(), F_ADD_SEALS, all) != 0) {
        return fail_errno("cannot seal a file in memory");
    }
    return {};
}

std::string MemoryFile::path(int fd) {
    return fmt::format("/proc/self/fd/{}", fd);
}

Result<MappedFile> MappedFile::map(const MemoryFile& file) {
    if (file.size() == 0) {
        return MappedFile(std::span<const std::byte>{});
    }
    void* address = mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (address == MAP_FAILED) {
        return fail_errno("cannot map a file in memory");
    }
    return MappedFile({static_cast<const std::byte*>(address), file.size()});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) {
        munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

}  // namespace kerntoll::lab
