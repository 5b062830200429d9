// SPDX-License-Identifier: MIT
// From a recorded trace to the path of one call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/explain.hpp"
#include "lab/path/symbols.hpp"
#include "lab/path/trace.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::path {

/// Who is to record; automatic: the plugin, or else single steps, and a remark says why. `gdb` is
/// any single steps, by whatever a target has for them.
enum class Recorder : std::uint8_t { automatic, plugin, gdb };

/// What is to be recorded.
struct Wanted {
    std::string workload = "getpid";
    std::size_t call = 1;  ///< which of the op's system calls, from 1
    /// Round trips of each call; by default 100, and 20 of single steps, of which a second makes
    /// some ten thousand.
    std::optional<std::uint64_t> rounds = {};
    Recorder recorder = Recorder::automatic;
    /// Told when nothing stands in the way of a boot any more; may be empty.
    std::function<void()> booting = {};
    /// Told now and then how far single steps are; may be empty.
    std::function<void(const StepProgress&)> progress = {};
};

/// A path and all that it points into.
struct RecordedPath {
    std::unique_ptr<Trace> trace;
    std::unique_ptr<Symbols> symbols;  ///< null where none were found
    Traced traced;
    std::size_t call = 1;          ///< which of the op's calls it is, from 1
    std::size_t calls_per_op = 1;  ///< how many it makes
    RecordedBy by = RecordedBy::plugin;
};

/// What was found of symbols that nobody gave.
struct FoundSymbols {
    std::unique_ptr<Symbols> symbols;       ///< that fit the path; null where there are none
    std::vector<std::string> remarks = {};  ///< sentences: where they are from, what was refused
    std::string why_none = {};              ///< a sentence's end where there are none, or empty
};
/// Looks for a path's symbols. Fails only where the whole command is to end.
using FindSymbols = std::function<Result<FoundSymbols>(const Trace&, const Path&, Arch)>;

/// The path that most round trips of the wanted call took, taken apart. `symbols` are those that
/// were given, and are moved to where the kernel ran; where they are null, `find` looks for others,
/// which may be empty. `entrance` tells which round trips are calls. Fault::usage where an op makes
/// no such call or the given symbols are another kernel's; Fault::measurement where the recording
/// ended early or the call gives the processor away.
[[nodiscard]] Result<RecordedPath> choose_path(Trace trace, std::unique_ptr<Symbols> symbols,
                                               const Wanted& wanted, std::string_view target,
                                               const FindSymbols& find = {},
                                               Entrance entrance = Entrance::trap);

}  // namespace kerntoll::lab::path
