// SPDX-License-Identifier: MIT
// From a target to the path of one of its calls: records, finds the symbols, takes the path apart.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/path/explain.hpp"
#include "lab/path/symbols.hpp"
#include "lab/path/trace.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::path {

/// Who is to record; automatic: the plugin, or else single steps, and a remark says why.
enum class Recorder : std::uint8_t { automatic, plugin, gdb };

/// What is to be recorded.
struct Wanted {
    std::string workload = "getpid";
    std::size_t call = 1;  ///< which of the op's system calls, from 1
    /// Round trips; by default 100, and 20 of single steps, of which a second makes some ten
    /// thousand.
    std::optional<std::uint64_t> rounds = {};
    Recorder recorder = Recorder::automatic;
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

/// Whether a target's paths can be recorded: where it is emulated, or would be to be counted.
[[nodiscard]] bool can_record(const Target& target);

/// Boots the target once, records and returns the path that most of the round trips
/// took. Where no symbols are given or lie beside the image, the guest is asked for its own.
/// Fault::usage where the target is not emulated, has no such workload or call, or where its
/// `symbols` are another kernel's; Fault::measurement where no round trip came to its end.
[[nodiscard]] Result<RecordedPath> record_path(Target& target, const Wanted& wanted);

}  // namespace kerntoll::lab::path
