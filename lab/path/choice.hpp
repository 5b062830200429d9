// SPDX-License-Identifier: MIT
// From a recorded trace to the path of one call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lab/path/explain.hpp"
#include "lab/path/symbols.hpp"
#include "lab/path/trace.hpp"

namespace kerntoll::lab::path {

/// What is to be recorded.
struct Wanted {
    std::string workload = "getpid";
    std::size_t call = 1;  ///< which of the op's system calls, from 1
    std::uint64_t rounds = 100;
};

/// A path and all that it points into.
struct RecordedPath {
    std::unique_ptr<Trace> trace;
    std::unique_ptr<Symbols> symbols;  ///< null where none were found
    Traced traced;
};

/// The path that most round trips of the wanted call took, taken apart; `symbols` may be null, and
/// are moved to where the kernel ran. Fault::usage where an op makes no such call or the symbols
/// are another kernel's; Fault::measurement where the recording ended early or the call gives the
/// processor away.
[[nodiscard]] Result<RecordedPath> choose_path(Trace trace, std::unique_ptr<Symbols> symbols,
                                               const Wanted& wanted, std::string_view target);

}  // namespace kerntoll::lab::path
