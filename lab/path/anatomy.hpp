// SPDX-License-Identifier: MIT
// One path taken apart: which functions it runs through, and what each costs in instructions and in
// everything else that can be counted without hardware.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/classes.hpp"
#include "lab/path/symbols.hpp"
#include "lab/path/trace.hpp"
#include "lab/store/path.hpp"

namespace kerntoll::lab::path {

/// Where in the round trip an instruction stands (docs/path.md). `inside` stands between stub and
/// return on a path whose call is not known, in the place of the four others.
enum class Phase : std::uint8_t { stub, enter, dispatch, call, exit, inside, ret };
inline constexpr std::size_t phase_count = 7;
/// "stub", "enter", "dispatch", "call", "exit", "inside", "return".
[[nodiscard]] std::string_view name(Phase phase);

using store::Counts;

/// One step of the path, in words.
struct Step {
    const Instruction* instruction = nullptr;
    Class kind;
    bool taken = false;  ///< control did not go on behind it
    Phase phase = Phase::stub;
    std::uint32_t function = 0;        ///< index into Anatomy::functions
    std::uint32_t depth = 0;           ///< calls that are open
    std::vector<std::string> inlined;  ///< frames inside the function, the outermost first
    std::vector<Access> accesses;      ///< as the path has them: their `step` counts the trap too
};

/// A function on the path, all its visits together.
struct FunctionPart {
    std::string name;          ///< "0xffff…" where no symbol is known
    std::uint64_t start = 0;   ///< run-time address
    std::uint64_t size = 0;    ///< of its code, in bytes; 0 where unknown
    std::uint64_t visits = 0;  ///< times that it was entered, by a call or otherwise
    Counts counts;
};

/// A node of the call tree, inlined functions included.
struct Frame {
    std::string name;
    bool inlined = false;
    std::uint64_t first_step = 0;
    std::uint64_t own = 0;        ///< instructions of its own
    std::uint64_t total = 0;      ///< with those of the frames in it
    std::vector<Frame> children;  ///< in path order; a function that is called twice is there twice
};

struct Anatomy {
    std::vector<Step> steps;              ///< without the user's trap instruction
    std::vector<FunctionPart> functions;  ///< in the order in which the path reaches them
    Counts total;
    std::array<Counts, phase_count> phases;
    std::optional<std::uint64_t> stack_bytes;  ///< how deep the path goes (stack.hpp)
    std::vector<Frame> tree;                   ///< from the trap stub down
};

[[nodiscard]] inline const Counts& counts_of(const Anatomy& anatomy, Phase phase) {
    return anatomy.phases[static_cast<std::size_t>(phase)];
}
/// Whether a phase is told apart on a path: its counts are then known, and not 0 for want of
/// knowledge.
[[nodiscard]] bool is_told(const Anatomy& anatomy, Phase phase);
/// Why phases are not told apart, a sentence for each reason.
[[nodiscard]] std::vector<std::string> phase_sentences(const Anatomy& anatomy);

/// Sets all counts of an anatomy by its steps.
void recount(Anatomy& anatomy);

/// Takes a path apart. `symbols` may be null: every function is then named by the address that the
/// path entered it at. The trace must outlive the anatomy, whose steps point into it.
[[nodiscard]] Anatomy dissect(const Trace& trace, const Path& path, Arch arch,
                              const Symbols* symbols);

}  // namespace kerntoll::lab::path
