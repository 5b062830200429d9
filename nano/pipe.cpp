// SPDX-License-Identifier: MIT
// Pipes: a page each, used as a ring.
#include "nano/arch.hpp"
#include "nano/error.hpp"
#include "nano/file.hpp"
#include "nano/memory.hpp"
#include "nano/scheduler.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"

namespace kerntoll::nano {

struct Pipe {
    uintptr_t page = 0;  ///< 0: a free slot
    size_t begin = 0;    ///< where the oldest byte lies
    size_t size = 0;     ///< bytes in it
    bool has_reader = false;
    bool has_writer = false;
};

namespace {

constexpr uint32_t is_pipe = 0010000;
constexpr size_t most_pipes = 4;
constinit Pipe pipes[most_pipes];

unsigned char* bytes_at(const Pipe& pipe, size_t place) {
    return static_cast<unsigned char*>(arch::at_physical(pipe.page)) + place;
}

size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

long read_pipe(File& file, uintptr_t to, size_t size) {
    Pipe& pipe = *file.pipe;
    if (const long waited = wait_until([&] { return pipe.size != 0 || !pipe.has_writer; });
        waited != 0) {
        return waited;
    }
    const size_t all = smaller(size, pipe.size);
    for (size_t done = 0; done < all;) {  // twice, where the ring's end lies between
        const size_t now = smaller(all - done, page_size - pipe.begin);
        if (!copy_to_user(to + done, bytes_at(pipe, pipe.begin), now)) {
            return done != 0 ? static_cast<long>(done) : error::bad_address;
        }
        pipe.begin = (pipe.begin + now) % page_size;
        pipe.size -= now;
        done += now;
    }
    wake_all();
    return static_cast<long>(all);
}

long write_pipe(File& file, uintptr_t from, size_t size) {
    Pipe& pipe = *file.pipe;
    for (size_t done = 0; done < size;) {
        // What fits into the ring is written whole, so that two writers do not mix.
        const size_t portion = smaller(size - done, page_size);
        const long waited =
            wait_until([&] { return !pipe.has_reader || page_size - pipe.size >= portion; });
        if (waited != 0 && done != 0) {
            // What is in the pipe has been written: the call is neither made again nor EINTR.
            current_task().was_interrupted = false;
            return static_cast<long>(done);
        }
        if (waited != 0) {
            return waited;
        }
        if (!pipe.has_reader) {
            send_signal(current_task(), {.number = signal::pipe});
            return done != 0 ? static_cast<long>(done) : error::broken_pipe;
        }
        for (size_t written = 0; written < portion;) {
            const size_t place = (pipe.begin + pipe.size) % page_size;
            const size_t now = smaller(portion - written, page_size - place);
            if (!copy_from_user(bytes_at(pipe, place), from + done, now)) {
                return done != 0 ? static_cast<long>(done) : error::bad_address;
            }
            pipe.size += now;
            written += now;
            done += now;
        }
        wake_all();
    }
    return static_cast<long>(size);
}

void close_end(Pipe& pipe, bool& end) {
    end = false;
    wake_all();
    if (!pipe.has_reader && !pipe.has_writer) {
        free_page(pipe.page);
        pipe = Pipe{};
    }
}

void close_reader(File& file) {
    close_end(*file.pipe, file.pipe->has_reader);
}

void close_writer(File& file) {
    close_end(*file.pipe, file.pipe->has_writer);
}

}  // namespace

constinit const FileKind pipe_reader_kind{nullptr, 6,       is_pipe | 0600, read_pipe,
                                          nullptr, nullptr, nullptr,        close_reader};
constinit const FileKind pipe_writer_kind{nullptr,    6,       is_pipe | 0600, nullptr,
                                          write_pipe, nullptr, nullptr,        close_writer};

bool make_pipe(File*& reader, File*& writer) {
    for (Pipe& pipe : pipes) {
        if (pipe.page != 0) {
            continue;
        }
        pipe.page = allocate_page();
        if (pipe.page == 0) {
            return false;
        }
        pipe.has_reader = true;
        pipe.has_writer = true;
        reader = make_file(pipe_reader_kind, OpenFor::reading);
        writer = make_file(pipe_writer_kind, OpenFor::writing);
        if (reader != nullptr) {
            reader->pipe = &pipe;
        }
        if (writer != nullptr) {
            writer->pipe = &pipe;
            return true;  // files are taken in order, so the reader is there too
        }
        if (reader != nullptr) {
            pipe.has_writer = false;
            release_file(*reader);
        } else {
            free_page(pipe.page);
            pipe = Pipe{};
        }
        return false;
    }
    return false;
}

}  // namespace kerntoll::nano
