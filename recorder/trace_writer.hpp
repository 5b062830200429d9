// SPDX-License-Identifier: MIT
// What the recorder collects, and how it becomes a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/trace_format.hpp"

namespace kerntoll::recorder {

/// One instruction at one address, as often as it may be executed.
struct Instruction {
    std::uint32_t number = 0;
    std::uint64_t address = 0;
    std::string bytes;
    std::string text;  ///< QEMU's disassembly
};

/// The instructions seen so far. Their addresses in memory do not change.
class Instructions {
public:
    /// The instruction with this address and these bytes; `disassemble` is asked where it is new.
    template <class Disassemble>
    Instruction& at(std::uint64_t address, std::string bytes, Disassemble disassemble) {
        auto& known = by_address_[address];
        for (Instruction* instruction : known) {
            if (instruction->bytes == bytes) {
                return *instruction;
            }
        }
        Instruction& fresh = all_.emplace_back();
        fresh = {static_cast<std::uint32_t>(all_.size() - 1), address, std::move(bytes),
                 disassemble()};
        known.push_back(&fresh);
        return fresh;
    }
    [[nodiscard]] const std::deque<Instruction>& all() const { return all_; }

private:
    std::deque<Instruction> all_;
    std::unordered_map<std::uint64_t, std::vector<Instruction*>> by_address_;
};

/// An access to memory by one step of a path.
struct Access {
    std::uint32_t step = 0;
    std::uint8_t kind = 0;  ///< trace_format: size and direction
    std::uint64_t address = 0;
};

/// The instructions of one round trip: the trap first, then the kernel's, without the user
/// instruction that ends it.
struct Path {
    std::vector<std::uint32_t> steps;
    std::vector<Access> accesses;
    void clear() {
        steps.clear();
        accesses.clear();
    }
};

/// Round trips by the instructions that they executed: of those that are equal the first is kept,
/// with its accesses, and how many there were.
class Paths {
public:
    void add(const Path& path);
    struct Seen {
        Path first;
        std::uint64_t round = 0;  ///< of the first, from 0
        std::uint64_t rounds = 0;
    };
    [[nodiscard]] const std::vector<Seen>& all() const { return all_; }
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

private:
    std::vector<Seen> all_;
    std::map<std::vector<std::uint32_t>, std::size_t> by_steps_;
    std::uint64_t rounds_ = 0;
};

/// The whole file (docs/trace.md). `unfinished` is the path under way when the recording ended
/// early; empty otherwise.
[[nodiscard]] std::string encode(std::string_view target, trace_format::End end,
                                 std::uint64_t rounds_wanted, const Instructions& instructions,
                                 const Paths& paths, const Path& unfinished);

/// Writes it; 0, or the error (errno) that kept it from being written whole.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

}  // namespace kerntoll::recorder
