// SPDX-License-Identifier: MIT
// Layouts: System V ABI, chapters "Object Files" and "Program Loading".
#include "lab/target/image_elf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kerntoll::lab::elf {
namespace {

constexpr std::uint64_t file_header_size = 64;
constexpr std::uint64_t program_header_size = 56;
constexpr std::uint64_t section_header_size = 64;
constexpr std::uint64_t note_header_size = 12;

Kind kind_of(std::uint16_t type) {
    switch (type) {
        case 1:
            return Kind::relocatable;
        case 2:
            return Kind::executable;
        case 3:
            return Kind::shared;
        case 4:
            return Kind::core;
        default:
            return Kind::other;
    }
}

/// offset + size without wrapping round.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t size) {
    return size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
}

std::uint64_t padded(std::uint64_t size) {
    return (size + 3) & ~std::uint64_t{3};
}

}  // namespace

bool is_elf(Bytes bytes) {
    return has_at(bytes, 0,
                  "\x7f"
                  "ELF");
}

std::optional<File> read(Bytes bytes) {
    constexpr std::uint8_t class_64 = 2;
    constexpr std::uint8_t data_big = 2;
    if (!is_elf(bytes) || bytes.size() < file_header_size ||
        little_at<std::uint8_t>(bytes, 4) != class_64) {
        return std::nullopt;
    }
    File file;
    file.order =
        little_at<std::uint8_t>(bytes, 5) == data_big ? std::endian::big : std::endian::little;
    const auto half = [&](std::uint64_t at) {
        return number_at<std::uint16_t>(bytes, at, file.order).value_or(0);
    };
    const auto word = [&](std::uint64_t at) {
        return number_at<std::uint64_t>(bytes, at, file.order).value_or(0);
    };
    file.kind = kind_of(half(16));
    file.machine = half(18);
    file.entry = word(24);
    const std::uint64_t segments_at = word(32);
    const std::uint64_t sections_at = word(40);
    const std::uint16_t segment_count = half(56);
    const std::uint16_t section_count = half(60);
    if (segment_count > 0 && (half(54) != program_header_size ||
                              !part_of(bytes, segments_at, segment_count * program_header_size))) {
        return std::nullopt;
    }
    file.header_end = end_of(segments_at, segment_count * program_header_size);
    if (sections_at != 0) {
        file.header_end =
            std::max(file.header_end, end_of(sections_at, section_count * section_header_size));
    }
    for (std::uint16_t i = 0; i < segment_count; ++i) {
        const std::uint64_t at = segments_at + i * program_header_size;
        const Segment segment{number_at<std::uint32_t>(bytes, at, file.order).value_or(0),
                              word(at + 8), word(at + 24), word(at + 32)};
        file.header_end = std::max(file.header_end, end_of(segment.offset, segment.file_size));
        file.segments.push_back(segment);
    }
    return file;
}

std::string machine_name(std::uint16_t machine) {
    switch (machine) {
        case 3:
            return "32-bit x86";
        case 8:
            return "MIPS";
        case 20:
            return "32-bit PowerPC";
        case 21:
            return "64-bit PowerPC";
        case 22:
            return "s390x";
        case 40:
            return "32-bit Arm";
        case 62:
            return "x86-64";
        case 183:
            return "arm64";
        case 243:
            return "riscv64";
        case 258:
            return "loongarch64";
        default:
            return fmt::format("machine {:#x}", machine);
    }
}

std::optional<Bytes> note(Bytes bytes, const File& file, std::string_view owner,
                          std::uint32_t type) {
    for (const Segment& segment : file.segments) {
        const auto notes = part_of(bytes, segment.offset, segment.file_size);
        if (segment.type != segment_note || !notes) {
            continue;
        }
        std::uint64_t at = 0;
        while (notes->size() - at >= note_header_size) {
            const auto word = [&](std::uint64_t offset) {
                return number_at<std::uint32_t>(*notes, at + offset, file.order).value_or(0);
            };
            const std::uint64_t content_at = at + note_header_size + padded(word(0));
            const auto content = part_of(*notes, content_at, word(4));
            if (!content) {
                break;
            }
            // The owner's length counts its terminating zero.
            if (word(8) == type && word(0) == owner.size() + 1 &&
                has_at(*notes, at + note_header_size, owner)) {
                return content;
            }
            at = std::min<std::uint64_t>(content_at + padded(word(4)), notes->size());
        }
    }
    return std::nullopt;
}

std::uint64_t extent(Bytes bytes) {
    const auto file = read(bytes);
    return file ? std::min<std::uint64_t>(file->header_end, bytes.size()) : 0;
}

std::optional<MemoryFile> flatten(Bytes bytes, const File& file, std::uint64_t limit) {
    std::uint64_t lowest = UINT64_MAX;
    for (const Segment& segment : file.segments) {
        if (segment.type == segment_load && segment.file_size > 0) {
            lowest = std::min(lowest, segment.physical);
        }
    }
    auto flat = MemoryFile::create("kerntoll-kernel");
    if (!flat) {
        return std::nullopt;
    }
    // The sum is limited too: many segments over the same bytes would keep the lab writing for
    // hours.
    std::uint64_t written = 0;
    for (const Segment& segment : file.segments) {
        if (segment.type != segment_load || segment.file_size == 0) {
            continue;
        }
        written = end_of(written, segment.file_size);
        const auto content = part_of(bytes, segment.offset, segment.file_size);
        if (!content || written > limit ||
            end_of(segment.physical - lowest, segment.file_size) > limit ||
            !flat->write_at(segment.physical - lowest, *content)) {
            return std::nullopt;
        }
    }
    return std::move(*flat);
}

}  // namespace kerntoll::lab::elf
