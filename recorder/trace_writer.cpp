// SPDX-License-Identifier: MIT
#include "recorder/trace_writer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace kerntoll::recorder {
namespace {

class Writer {
public:
    /// LEB128: seven bits a byte, the lowest first.
    void number(std::uint64_t value) {
        constexpr std::uint64_t more = 0x80;
        while (value >= more) {
            bytes_ += static_cast<char>(value | more);
            value >>= 7U;
        }
        bytes_ += static_cast<char>(value);
    }
    /// The distance from the number before it, in a series of them.
    void step(std::uint64_t& before, std::uint64_t value) {
        number(trace_format::zigzag(static_cast<std::int64_t>(value - before)));
        before = value;
    }
    void text(std::string_view value) {
        number(value.size());
        bytes_ += value;
    }
    void path(const Path& path);
    /// Ends the file.
    [[nodiscard]] std::string sealed() && {
        const std::uint64_t sum = trace_format::checksum(bytes_);
        for (unsigned byte = 0; byte < trace_format::checksum_size; ++byte) {
            bytes_ += static_cast<char>(sum >> (8 * byte));
        }
        return std::move(bytes_);
    }

private:
    std::string bytes_{trace_format::magic};
};

void Writer::path(const Path& path) {
    number(path.steps.size());
    std::uint64_t before = 0;
    for (const std::uint32_t instruction : path.steps) {
        step(before, instruction);
    }
    number(path.accesses.size());
    std::uint64_t step_before = 0;
    std::uint64_t address_before = 0;
    for (const Access& access : path.accesses) {
        step(step_before, access.step);
        number(access.kind);
        step(address_before, access.address);
    }
}

}  // namespace

void Paths::add(const Path& path) {
    const auto [known, fresh] = by_steps_.try_emplace(path.steps, all_.size());
    if (fresh) {
        all_.push_back({path, rounds_, 0});
    }
    ++all_[known->second].rounds;
    ++rounds_;
}

std::string encode(std::string_view target, trace_format::End end, std::uint64_t rounds_wanted,
                   const Instructions& instructions, const Paths& paths, const Path& unfinished) {
    Writer writer;
    writer.text(target);
    writer.number(static_cast<std::uint64_t>(end));
    writer.number(rounds_wanted);
    writer.number(instructions.all().size());
    std::uint64_t address = 0;
    for (const Instruction& instruction : instructions.all()) {
        writer.step(address, instruction.address);
        writer.text(instruction.bytes);
        writer.text(instruction.text);
    }
    writer.number(paths.all().size());
    for (const Paths::Seen& seen : paths.all()) {
        writer.number(seen.round);
        writer.number(seen.rounds);
        writer.path(seen.first);
    }
    writer.path(unfinished);
    return std::move(writer).sealed();
}

int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return 0;
}

}  // namespace kerntoll::recorder
