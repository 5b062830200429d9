// SPDX-License-Identifier: MIT
// A path followed step by step: which function each step is in, and which calls are open.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// What symbols say of a run-time address.
struct Spot {
    std::string function;
    std::uint64_t start = 0;  ///< of the function, at run time
    std::uint64_t size = 0;   ///< of the function; 0 where unknown
    std::vector<std::string> inlined;
};
/// Nothing where no function is known.
using Locate = std::function<std::optional<Spot>(std::uint64_t address)>;

/// How a path came to a step.
enum class Arrival : std::uint8_t {
    on,        ///< from the one before it or by a jump
    called,    ///< by a call
    returned,  ///< by a return to behind a call that was open
    strayed,   ///< by a return to anywhere else
};

/// One stay in a function: from where it is entered to where it is left for good.
struct Visit {
    std::uint32_t function = 0;           ///< index into Walk::functions
    std::optional<std::uint32_t> caller;  ///< index into Walk::visits; nothing for the trap stub
};

struct Walk {
    std::vector<Step> steps;              ///< all but their phases
    std::vector<Arrival> arrivals;        ///< of each step
    std::vector<std::uint32_t> visit_of;  ///< of each step, an index into `visits`
    std::vector<Visit> visits;            ///< in the order in which they begin
    std::vector<FunctionPart> functions;  ///< all but their counts
};

/// Follows a path. A call opens a frame, and a return to behind a call that is open closes it and
/// all that were opened after it. A return to elsewhere closes the last one (a retpoline's does),
/// if any is open. A jump into another function is a visit of that one in the same frame, with the
/// same way back: a tail call.
[[nodiscard]] Walk walk(const Trace& trace, const Path& path, Arch arch, const Locate& locate);

/// Says of each step in which phase it is, by the functions' names.
void set_phases(Walk& walk);

/// The call tree of a walk.
[[nodiscard]] std::vector<Frame> tree_of(const Walk& walk);

/// Takes a path apart, with `locate` in the place of Symbols.
[[nodiscard]] Anatomy dissect(const Trace& trace, const Path& path, Arch arch,
                              const Locate& locate);

}  // namespace kerntoll::lab::path
