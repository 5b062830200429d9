// SPDX-License-Identifier: MIT
#include "nano/elf.hpp"

#include "nano/arch.hpp"
#include "nano/runtime.hpp"
#include "nano/task.hpp"

namespace kerntoll::nano {

namespace {

// Elf64_Ehdr and Elf64_Phdr (System V gABI).
struct FileHeader {
    uint8_t magic[4];
    uint8_t word_class;
    uint8_t byte_order;
    uint8_t ident_rest[10];
    uint16_t type;
    uint16_t machine;
    uint32_t version;
    uint64_t start;
    uint64_t segments_offset;
    uint64_t sections_offset;
    uint32_t flags;
    uint16_t header_size;
    uint16_t segment_size;
    uint16_t segment_count;
    uint16_t section_size;
    uint16_t section_count;
    uint16_t names_index;
};
struct Segment {
    static constexpr uint32_t load = 1;
    static constexpr uint32_t execute = 1;
    static constexpr uint32_t write = 2;

    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t address;
    uint64_t physical;
    uint64_t file_size;
    uint64_t memory_size;
    uint64_t alignment;
};

constexpr uint8_t sixty_four_bits = 2;
constexpr uint8_t executable = 2;
constexpr uint8_t byte_order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 2 : 1;
constexpr size_t most_segments = 16;

/// Whether a range of `size` at `offset` lies within `whole`, without a sum that could wrap.
bool lies_within(uint64_t offset, uint64_t size, uint64_t whole) {
    return size <= whole && offset <= whole - size;
}

const char* load_page(const unsigned char* file, const Segment& segment, uintptr_t page,
                      AddressSpace& space) {
    const Access access = (segment.flags & Segment::write) != 0     ? Access::read_write
                          : (segment.flags & Segment::execute) != 0 ? Access::read_execute
                                                                    : Access::read;
    const uintptr_t physical = allocate_page();
    if (physical == 0) {
        return "it needs more memory than there is";
    }
    if (!space.map(page, physical, access)) {
        free_page(physical);
        return "two of its segments share a page, or memory is out";
    }
    // The part of the segment's file bytes that falls into this page.
    const uintptr_t begin = segment.address > page ? segment.address : page;
    const uintptr_t file_end = segment.address + segment.file_size;
    const uintptr_t end = file_end < page + page_size ? file_end : page + page_size;
    if (begin < end) {
        memcpy(static_cast<unsigned char*>(arch::at_physical(physical)) + (begin - page),
               file + segment.offset + (begin - segment.address), end - begin);
    }
    return nullptr;
}

const char* load_segment(const unsigned char* file, size_t size, const Segment& segment,
                         AddressSpace& space) {
    if (segment.file_size > segment.memory_size ||
        !lies_within(segment.offset, segment.file_size, size)) {
        return "a segment lies outside the file";
    }
    if (segment.address < page_size ||
        !lies_within(segment.address, segment.memory_size, stack_bottom)) {
        return "a segment lies outside user memory";
    }
    if ((segment.flags & Segment::write) != 0 && (segment.flags & Segment::execute) != 0) {
        return "a segment is both writable and executable";
    }
    const uintptr_t end = segment.address + segment.memory_size;
    for (uintptr_t page = page_of(segment.address); page < end; page += page_size) {
        if (const char* wrong = load_page(file, segment, page, space); wrong != nullptr) {
            return wrong;
        }
    }
    return nullptr;
}

}  // namespace

const char* load_elf(const unsigned char* file, size_t size, AddressSpace& space,
                     uintptr_t& start) {
    FileHeader header;
    if (size < sizeof header) {
        return "it is shorter than an ELF header";
    }
    memcpy(&header, file, sizeof header);
    if (header.magic[0] != 0x7f || header.magic[1] != 'E' || header.magic[2] != 'L' ||
        header.magic[3] != 'F' || header.word_class != sixty_four_bits ||
        header.byte_order != byte_order || header.type != executable) {
        return "it is not a static 64-bit ELF executable of this byte order";
    }
    if (header.machine != arch::elf_machine) {
        return "it is for another machine";
    }
    if (header.segment_size != sizeof(Segment) || header.segment_count > most_segments ||
        !lies_within(header.segments_offset, header.segment_count * sizeof(Segment), size)) {
        return "its program headers lie outside the file, or are too many";
    }
    for (size_t i = 0; i < header.segment_count; ++i) {
        Segment segment;
        memcpy(&segment, file + header.segments_offset + i * sizeof segment, sizeof segment);
        if (segment.type != Segment::load || segment.memory_size == 0) {
            continue;
        }
        if (const char* wrong = load_segment(file, size, segment, space); wrong != nullptr) {
            return wrong;
        }
    }
    AddressSpace::Mapping first;
    if (!space.find(header.start, first) || first.access != Access::read_execute) {
        return "its first instruction is not executable";
    }
    start = header.start;
    return nullptr;
}

}  // namespace kerntoll::nano
