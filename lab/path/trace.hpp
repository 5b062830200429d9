// SPDX-License-Identifier: MIT
// A recorded trace, read back: the instructions that were executed from a user's trap instruction
// to the next user instruction, round trip by round trip (docs/trace.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "recorder/trace_format.hpp"

namespace kerntoll::lab::path {

/// One instruction at one address.
struct Instruction {
    std::uint64_t address = 0;
    std::string bytes;
    std::string text;  ///< QEMU's disassembly, as it prints it
};

/// An access to memory by one step of a path.
struct Access {
    std::uint32_t step = 0;  ///< index into Path::steps
    std::uint32_t size = 0;  ///< bytes
    bool store = false;
    std::uint64_t address = 0;
};

/// The instructions of one round trip, as indices into Trace::instructions: the trap first, then
/// the kernel's; the user instruction that ends it is left out.
struct Path {
    std::vector<std::uint32_t> steps;
    std::vector<Access> accesses;
};

/// Round trips that executed the same instructions; the accesses are those of the first of them.
struct Variant {
    Path path;
    std::uint64_t first_round = 0;
    std::uint64_t rounds = 0;
};

struct Trace {
    std::string target;  ///< QEMU's name of the architecture
    trace_format::End end = trace_format::End::complete;
    std::uint64_t rounds_wanted = 0;
    std::vector<Instruction> instructions;
    std::vector<Variant> variants;  ///< in the order of their first rounds
    Path unfinished;                ///< under way when the recording ended early; else empty
};

/// Reads a trace file's bytes, which may be anything. Fault::measurement, in one sentence, where
/// they are no trace, another version's, cut short or damaged.
[[nodiscard]] Result<Trace> read_trace(std::string_view bytes);

}  // namespace kerntoll::lab::path
