// SPDX-License-Identifier: MIT
// What a kernel image needs of ELF: which machine, whether all of it is there, its notes, and the
// flat image that lies in its segments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/target/image_bytes.hpp"
#include "lab/target/memory_file.hpp"

namespace kerntoll::lab::elf {

/// The kinds of ELF file that matter here.
enum class Kind { relocatable, executable, shared, core, other };

/// A program header.
struct Segment {
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
    std::uint64_t physical = 0;
    std::uint64_t file_size = 0;
};

constexpr std::uint32_t segment_load = 1;
constexpr std::uint32_t segment_interpreter = 3;
constexpr std::uint32_t segment_note = 4;

/// A 64-bit ELF file's headers, every offset in them still to be checked against the bytes.
struct File {
    std::endian order = std::endian::little;
    Kind kind = Kind::other;
    std::uint16_t machine = 0;  ///< e_machine
    std::uint64_t entry = 0;
    std::uint64_t header_end = 0;  ///< where the last header or segment in the file ends
    std::vector<Segment> segments;
};

/// Whether these bytes begin like an ELF file of any class.
[[nodiscard]] bool is_elf(Bytes bytes);
/// Its headers; nothing where it is not 64-bit or where the headers lie beyond its end.
[[nodiscard]] std::optional<File> read(Bytes bytes);
/// "x86-64", "arm64", …; "machine 0x28" for those that kerntoll has no word for.
[[nodiscard]] std::string machine_name(std::uint16_t machine);

/// A note's content, found by its owner and type in the note segments; nothing if there is none.
[[nodiscard]] std::optional<Bytes> note(Bytes bytes, const File& file, std::string_view owner,
                                        std::uint32_t type);

/// Where the ELF file that starts at the beginning of `bytes` ends, as far as its headers say
/// (never beyond the bytes).
[[nodiscard]] std::uint64_t extent(Bytes bytes);

/// Lays the loadable segments out by physical address, as `objcopy -O binary` does: for arm64 and
/// riscv64 this gives the Image that the kernel was linked for. Nothing where a segment lies beyond
/// the file's end or the result would be larger than `limit`.
[[nodiscard]] std::optional<MemoryFile> flatten(Bytes bytes, const File& file, std::uint64_t limit);

}  // namespace kerntoll::lab::elf
