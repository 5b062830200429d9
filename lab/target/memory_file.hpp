// SPDX-License-Identifier: MIT
// A file that exists in memory only: what QEMU opens by path without anything being left on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lab/base/error.hpp"
#include "lab/base/fd.hpp"

namespace kerntoll::lab {

/// An anonymous file that is written piece by piece. It vanishes with its last descriptor, so a lab
/// that is killed leaves no temporary file behind.
class MemoryFile {
public:
    /// An empty file; `label` shows up in /proc/PID/fd and nowhere else.
    [[nodiscard]] static Result<MemoryFile> create(std::string_view label);

    /// A file that holds `bytes`, sealed.
    [[nodiscard]] static Result<MemoryFile> holding(std::string_view label, std::string_view bytes);

    /// Writes at the end.
    [[nodiscard]] Result<void> append(std::span<const std::byte> bytes);
    /// Writes at `offset`; what lies between the old end and `offset` reads as zero.
    [[nodiscard]] Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);

    /// Forbids every later change, through any descriptor: what was hashed is what boots.
    [[nodiscard]] Result<void> seal();

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The path by which a program opens the file that it holds as descriptor `fd`.
    [[nodiscard]] static std::string path(int fd);

private:
    explicit MemoryFile(Fd fd) : fd_(std::move(fd)) {}

    Fd fd_;
    std::uint64_t size_ = 0;
};

/// A MemoryFile's bytes, mapped for reading as long as this lives.
class MappedFile {
public:
    [[nodiscard]] static Result<MappedFile> map(const MemoryFile& file);

    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
    explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::span<const std::byte> bytes_;
};

}  // namespace kerntoll::lab
