// SPDX-License-Identifier: MIT
#include "agent/workloads/seek.hpp"

namespace kerntoll::agent {

namespace {

/// A file without a name: in memory where the kernel has that, else one that is unlinked at once.
long open_nameless() {
    const long in_memory = kernel<Call::memfd_create>(as_argument("kerntoll-seek"), 0);
    if (in_memory >= 0) {
        return in_memory;
    }
    constexpr long flags = open_flag::read_write | open_flag::create | open_flag::exclusive;
    long result = in_memory;
    constexpr const char* paths[] = {"/tmp/.kerntoll-seek", "/.kerntoll-seek"};
    for (const char* path : paths) {
        result = open_file(path, flags);
        if (result >= 0) {
            kernel<Call::unlinkat>(at_working_directory, as_argument(path), 0);
            return result;
        }
    }
    return result;
}

}  // namespace

Outcome Seek::prepare(Fixture& fixture) {
    if (fixture.seek_file >= 0) {
        return ok();
    }
    const long descriptor = open_nameless();
    if (descriptor < 0) {
        return refused("cannot make a file to seek in: ", describe_error(descriptor).text());
    }
    for (size_t i = 0; i < Fixture::io_size; ++i) {
        fixture.output[i] = static_cast<char>(i);
    }
    for (long at = 0; at < file_size; at += block) {
        const long written = write_some(descriptor, fixture.output, block);
        if (written != block) {
            close_file(descriptor);
            return refused("cannot fill the file to seek in: write at ", at, " answers ", written);
        }
    }
    constexpr Whence searches[] = {Whence::hole, Whence::data};
    for (const Whence whence : searches) {
        if (const Outcome sought =
                expect_success("lseek with SEEK_HOLE or SEEK_DATA", seek(descriptor, 0, whence));
            !sought.is_ok()) {
            close_file(descriptor);
            return sought;
        }
    }
    fixture.seek_file = keep_descriptor(descriptor);
    return expect_success("fcntl with F_DUPFD", fixture.seek_file);
}

Outcome Seek::prove(Fixture& fixture) {
    const long file = fixture.seek_file;
    struct Step {
        long offset;
        Whence whence;
        long expected;
    };
    constexpr Step steps[] = {
        {write_at, Whence::set, write_at},
        {block, Whence::current, write_at + block},
        {0, Whence::end, file_size},
        {0, Whence::current, file_size},
        {0, Whence::hole, file_size},
        {0, Whence::data, 0},
        {hunt_at, Whence::data, hunt_at},
        {hunt_at, Whence::hole, file_size},
        {file_size, Whence::data, -error::no_address},
    };
    for (const Step& step : steps) {
        const long found = seek(file, step.offset, step.whence);
        if (found != step.expected) {
            return fault("lseek by ", step.offset, " with whence ", static_cast<long>(step.whence),
                         " answers ", found, " instead of ", step.expected);
        }
    }
    // The loop must leave its block written, the other block read, and the position where its last
    // successful step puts it.
    constexpr char mark = 0x5a;
    fixture.output[0] = mark;
    fixture.input[1] = mark;
    run_one_op<Seek>(fixture);
    const long position = seek(file, 0, Whence::current);
    const bool was_read = fixture.input[1] == 1;
    seek(file, write_at, Whence::set);
    const long got = read_some(file, fixture.input, block);
    if (position != file_size || !was_read || got != block || fixture.input[0] != mark) {
        return fault("after the loop the position is ", position, " instead of ", file_size,
                     ", or its block was not written or read");
    }
    return ok("all lseek answers and positions as they must be, one block written and one read by ",
              "the loop, its last position ", position);
}

}  // namespace kerntoll::agent
