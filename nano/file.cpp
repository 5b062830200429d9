// SPDX-License-Identifier: MIT
#include "nano/file.hpp"

#include "nano/arch.hpp"
#include "nano/error.hpp"
#include "nano/runtime.hpp"
#include "nano/scheduler.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"

namespace kerntoll::nano {

namespace {

constexpr uint32_t is_character_device = 0020000;
constexpr uint32_t is_directory = 0040000;
constexpr uint32_t is_regular = 0100000;

constexpr size_t most_files = 32;
constinit File files[most_files];

/// What /usr/include/linux/types.h holds: lmbench's file, of which only its presence matters.
constexpr char header_text[] = "/* lmbench opens this file, and asks for its status. */\n";

long read_console(File&, uintptr_t to, size_t size) {
    if (const long waited = wait_until([] { return arch::console_has_input(); }); waited != 0) {
        return waited;
    }
    char bytes[128];
    const size_t got = arch::read_console(bytes, size < sizeof bytes ? size : sizeof bytes);
    return copy_to_user(to, bytes, got) ? static_cast<long>(got) : error::bad_address;
}

long write_console(File&, uintptr_t from, size_t size) {
    char bytes[128];
    for (size_t done = 0; done < size;) {
        const size_t now = size - done < sizeof bytes ? size - done : sizeof bytes;
        if (!copy_from_user(bytes, from + done, now)) {
            return done != 0 ? static_cast<long>(done) : error::bad_address;
        }
        arch::write_console(bytes, now);
        done += now;
    }
    return static_cast<long>(size);
}

long read_null(File&, uintptr_t, size_t) {
    return 0;
}

long write_nowhere(File&, uintptr_t, size_t size) {
    return static_cast<long>(size);
}

long seek_nowhere(File& file, long, int) {
    file.position = 0;
    return 0;
}

long read_zero(File&, uintptr_t to, size_t size) {
    return clear_user(to, size) ? static_cast<long>(size) : error::bad_address;
}

uint64_t size_of_header(const File*) {
    return sizeof header_text - 1;
}

long read_header(File& file, uintptr_t to, size_t size) {
    const uint64_t whole = size_of_header(&file);
    const size_t left = file.position < whole ? whole - file.position : 0;
    const size_t now = size < left ? size : left;
    if (!copy_to_user(to, header_text + (whole - left), now)) {
        return error::bad_address;
    }
    file.position += now;
    return static_cast<long>(now);
}

constexpr FileKind kinds_with_path[] = {
    {"/", 1, is_directory | 0755, nullptr, nullptr, nullptr, nullptr, nullptr},
    {"/dev/console", 2, is_character_device | 0600, read_console, write_console, nullptr, nullptr,
     nullptr},
    {"/dev/null", 3, is_character_device | 0666, read_null, write_nowhere, nullptr, seek_nowhere,
     nullptr},
    {"/dev/zero", 4, is_character_device | 0666, read_zero, write_nowhere, nullptr, seek_nowhere,
     nullptr},
    {"/usr/include/linux/types.h", 5, is_regular | 0444, read_header, nullptr, size_of_header,
     seek_bytes, nullptr},
};

bool is_same(const char* a, const char* b) {
    while (*a == *b && *a != '\0') {
        ++a;
        ++b;
    }
    return *a == *b;
}

}  // namespace

const FileKind* find_path(const char* path) {
    for (const FileKind& kind : kinds_with_path) {
        if (is_same(kind.path, path)) {
            return &kind;
        }
    }
    return nullptr;
}

bool is_console(const File& file) {
    return file.kind->read == read_console;
}

long seek_bytes(File& file, long offset, int whence) {
    const auto size = static_cast<long>(file.kind->size(&file));
    long base = 0;
    switch (whence) {
        case whence::set:
            break;
        case whence::current:
            base = static_cast<long>(file.position);
            break;
        case whence::end:
            base = size;
            break;
        case whence::data:
        case whence::hole:
            if (offset < 0 || offset >= size) {
                return error::no_device;
            }
            if (whence == whence::hole) {  // the one behind the end
                offset = size;
            }
            break;
        default:
            return error::invalid;
    }
    long position = 0;
    if (__builtin_add_overflow(base, offset, &position) || position < 0) {
        return error::invalid;
    }
    file.position = static_cast<uint64_t>(position);
    return position;
}

File* make_file(const FileKind& kind, OpenFor use) {
    for (File& file : files) {
        if (file.kind == nullptr) {
            file = {.kind = &kind,
                    .references = 1,
                    .readable = use != OpenFor::writing,
                    .writable = use != OpenFor::reading};
            return &file;
        }
    }
    return nullptr;
}

void release_file(File& file) {
    if (--file.references == 0) {
        if (file.kind->close != nullptr) {
            file.kind->close(file);
        }
        file.kind = nullptr;
    }
}

long Descriptors::add(File& file, long from) {
    for (long number = from; number < count; ++number) {
        if (files_[number] == nullptr) {
            files_[number] = &file;
            return number;
        }
    }
    return error::too_many_files;
}

void Descriptors::put(long number, File& file) {
    if (files_[number] != nullptr) {
        release_file(*files_[number]);
    }
    files_[number] = &file;
}

bool Descriptors::close(long number) {
    File* const file = find(number);
    if (file == nullptr) {
        return false;
    }
    files_[number] = nullptr;
    release_file(*file);
    return true;
}

void Descriptors::close_all() {
    for (long number = 0; number < count; ++number) {
        static_cast<void>(close(number));
    }
}

void Descriptors::copy_from(const Descriptors& other) {
    for (long number = 0; number < count; ++number) {
        files_[number] = other.files_[number];
        if (files_[number] != nullptr) {
            ++files_[number]->references;
        }
    }
}

}  // namespace kerntoll::nano
