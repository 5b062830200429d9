// SPDX-License-Identifier: MIT
// Open files and the descriptors that lead to them. All tables are fixed; there are no file
// systems, only the few files that the agent's workloads use.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "port.hpp"

namespace kerntoll::nano {

struct File;
struct Pipe;
struct MemoryFile;

/// What a kind of file does. A function that is not there answers what Linux answers where a file
/// cannot do it.
struct FileKind {
    const char* path;  ///< nullptr where it has none
    uint64_t inode;
    uint32_t mode;  ///< st_mode
    long (*read)(File& file, uintptr_t to, size_t size);
    long (*write)(File& file, uintptr_t from, size_t size);
    uint64_t (*size)(const File* file);  ///< nullptr for `file`: of one that is not open
    long (*seek)(File& file, long offset, int whence);
    void (*close)(File& file);
};

/// What an open file may be used for, by the values of O_RDONLY, O_WRONLY and O_RDWR.
enum class OpenFor : uint8_t { reading, writing, both };

struct File {
    const FileKind* kind = nullptr;  ///< nullptr: a free slot
    unsigned references = 0;         ///< descriptors of all tasks
    bool readable = false;
    bool writable = false;
    uint64_t position = 0;
    Pipe* pipe = nullptr;
    MemoryFile* memory = nullptr;
};

/// The row of a path, nullptr where there is no such file.
[[nodiscard]] const FileKind* find_path(const char* path);

/// A free slot with one reference; nullptr where all are taken.
[[nodiscard]] File* make_file(const FileKind& kind, OpenFor use);
void release_file(File& file);

/// Whether a file is the console.
[[nodiscard]] bool is_console(const File& file);

/// lseek's `whence`.
namespace whence {
inline constexpr int set = 0;
inline constexpr int current = 1;
inline constexpr int end = 2;
inline constexpr int data = 3;
inline constexpr int hole = 4;
}  // namespace whence

/// Seeks in a file of kind->size() bytes without holes. For rows of FileKind.
[[nodiscard]] long seek_bytes(File& file, long offset, int whence);

/// Kinds without a path.
extern const FileKind pipe_reader_kind, pipe_writer_kind, memory_kind;

/// Makes both ends of a pipe; false where slots or memory are out.
[[nodiscard]] bool make_pipe(File*& reader, File*& writer);
/// Makes an empty file in memory; nullptr where slots or memory are out.
[[nodiscard]] File* make_memory_file();

/// The descriptors of one task.
class Descriptors {
public:
    static constexpr long count = 32;

    /// The file behind a descriptor, nullptr where it is not open. `number` is anything.
    [[nodiscard]] File* find(long number) const {
        // Masked, since what is found is read; a negative one is beyond every table.
        auto index = static_cast<unsigned long>(number);
        return entry::port::is_inside(index, count) ? files_[index] : nullptr;
    }
    /// Opens the lowest free descriptor that is at least `from`; -EMFILE where there is none. The
    /// reference to the file becomes the descriptor's.
    [[nodiscard]] long add(File& file, long from);
    /// Puts a file behind a descriptor below `count`, closing what it was.
    void put(long number, File& file);
    /// False where it was not open.
    [[nodiscard]] bool close(long number);
    void close_all();
    void copy_from(const Descriptors& other);

private:
    File* files_[count] = {};
};

}  // namespace kerntoll::nano
