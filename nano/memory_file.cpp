// SPDX-License-Identifier: MIT
// Files in memory (memfd_create): a page of pages each, with holes where nothing was written.
#include "nano/arch.hpp"
#include "nano/error.hpp"
#include "nano/file.hpp"
#include "nano/memory.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

struct MemoryFile {
    uintptr_t pages = 0;  ///< the page that holds the addresses of the others; 0: a free slot
    uint64_t size = 0;
};

namespace {

constexpr uint32_t is_regular = 0100000;
constexpr size_t most_memory_files = 2;
constexpr size_t most_pages = page_size / sizeof(uintptr_t);
constexpr uint64_t most_bytes = most_pages * page_size;

constinit MemoryFile memory_files[most_memory_files];

/// The word for the page at a position that lies below most_bytes.
uintptr_t& page_at(const MemoryFile& memory, uint64_t position) {
    // The caller has compared it. Masked all the same, as a descriptor is: the word leads on.
    unsigned long index = position / page_size;
    if (!entry::port::is_inside(index, most_pages)) {
        index = 0;
    }
    return static_cast<uintptr_t*>(arch::at_physical(memory.pages))[index];
}

size_t part_in_page(uint64_t position, size_t size) {
    const size_t left = page_size - position % page_size;
    return size < left ? size : left;
}

long read_memory(File& file, uintptr_t to, size_t size) {
    const MemoryFile& memory = *file.memory;
    const uint64_t left = file.position < memory.size ? memory.size - file.position : 0;
    const size_t all = size < left ? size : left;
    for (size_t done = 0; done < all;) {
        const size_t now = part_in_page(file.position, all - done);
        const uintptr_t page = page_at(memory, file.position);
        const bool copied =
            page == 0
                ? clear_user(to + done, now)
                : copy_to_user(to + done, arch::at_physical(page + file.position % page_size), now);
        if (!copied) {
            return done != 0 ? static_cast<long>(done) : error::bad_address;
        }
        file.position += now;
        done += now;
    }
    return static_cast<long>(all);
}

long write_memory(File& file, uintptr_t from, size_t size) {
    MemoryFile& memory = *file.memory;
    for (size_t done = 0; done < size;) {
        long wrong = 0;
        const size_t now = part_in_page(file.position, size - done);
        if (file.position >= most_bytes) {
            wrong = error::no_space;
        } else {
            uintptr_t& page = page_at(memory, file.position);
            page = page != 0 ? page : allocate_page();
            if (page == 0) {
                wrong = error::no_space;
            } else if (!copy_from_user(arch::at_physical(page + file.position % page_size),
                                       from + done, now)) {
                wrong = error::bad_address;
            }
        }
        if (wrong != 0) {
            return done != 0 ? static_cast<long>(done) : wrong;
        }
        file.position += now;
        memory.size = memory.size > file.position ? memory.size : file.position;
        done += now;
    }
    return static_cast<long>(size);
}

uint64_t size_of_memory(const File* file) {
    return file->memory->size;
}

long seek_memory(File& file, long offset, int whence) {
    if (whence != whence::data && whence != whence::hole) {
        return seek_bytes(file, offset, whence);
    }
    const bool wants_hole = whence == whence::hole;
    const auto size = static_cast<long>(file.memory->size);
    constexpr auto page = static_cast<long>(page_size);
    if (offset < 0 || offset >= size) {
        return error::no_device;
    }
    // From page to page until one is there, or is not. The end is a hole.
    while (offset < size &&
           (page_at(*file.memory, static_cast<uint64_t>(offset)) == 0) != wants_hole) {
        offset = (offset / page + 1) * page;
    }
    if (offset >= size) {
        if (!wants_hole) {
            return error::no_device;
        }
        offset = size;
    }
    return seek_bytes(file, offset, whence::set);
}

void close_memory(File& file) {
    MemoryFile& memory = *file.memory;
    for (size_t i = 0; i < most_pages; ++i) {
        free_page(page_at(memory, i * page_size));
    }
    free_page(memory.pages);
    memory = MemoryFile{};
}

}  // namespace

constinit const FileKind memory_kind{
    nullptr,        7,           is_regular | 0777, read_memory, write_memory,
    size_of_memory, seek_memory, close_memory};

File* make_memory_file() {
    for (MemoryFile& memory : memory_files) {
        if (memory.pages != 0) {
            continue;
        }
        File* const file = make_file(memory_kind, OpenFor::both);
        memory.pages = file != nullptr ? allocate_page() : 0;
        if (memory.pages == 0) {
            if (file != nullptr) {
                file->kind = nullptr;
            }
            return nullptr;
        }
        file->memory = &memory;
        return file;
    }
    return nullptr;
}

}  // namespace kerntoll::nano
