// SPDX-License-Identifier: MIT
// Symbols in an ELF file, by libelf, which knows both byte orders and may be given anything.
#pragma once

#include <libelf.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/path/symbols_table.hpp"

namespace kerntoll::lab::path {

/// An ELF file that is kept open, since its debug information is read bit by bit.
class ElfFile {
public:
    /// Whether bytes begin like an ELF file.
    [[nodiscard]] static bool is_elf(std::string_view bytes);
    /// Maps a file. These fail with what is wrong, to be put behind the file's name: "is damaged".
    [[nodiscard]] static std::expected<ElfFile, std::string> map(Fd fd);
    [[nodiscard]] static std::expected<ElfFile, std::string> copy(std::string_view bytes);

    /// The labels in sections of code, whose ends are given as labels that are no code.
    [[nodiscard]] std::expected<std::vector<Label>, std::string> labels() const;
    /// The image's size by its sections, and by its labels where it has them.
    [[nodiscard]] store::ImageSizes sizes() const;
    /// Bytes of all functions by their own sizes, without what is filled in between them: what the
    /// kernel's scripts/bloat-o-meter adds up. 0 where no function has a size.
    [[nodiscard]] std::uint64_t code_bytes() const;
    /// As hexadecimal digits; empty where it has none.
    [[nodiscard]] std::string build_id() const;
    [[nodiscard]] Elf* handle() const { return elf_.get(); }

private:
    struct Closer {
        void operator()(Elf* elf) const { elf_end(elf); }
    };

    ElfFile(Fd fd, std::vector<char> bytes) : fd_(std::move(fd)), bytes_(std::move(bytes)) {}
    [[nodiscard]] static std::expected<ElfFile, std::string> checked(ElfFile file);

    Fd fd_;                    ///< what elf_ reads, where it is a file
    std::vector<char> bytes_;  ///< where it is not; moving a vector leaves its elements in place
    std::unique_ptr<Elf, Closer> elf_;
};

}  // namespace kerntoll::lab::path
