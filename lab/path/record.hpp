// SPDX-License-Identifier: MIT
// From a target to the path of one of its calls: records, finds the symbols, takes the path apart.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "lab/path/choice.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::path {

/// Whether a target's paths can be recorded: where it can be counted and is no simulation.
[[nodiscard]] bool can_record(const Target& target);

/// Boots the target once, records and returns the trace file's bytes
/// (docs/trace.md), the same ones every time. Fault::usage where the target cannot be recorded or
/// has no such workload; Fault::measurement where the machine did not come to the end of the
/// workload, unless it is the recorder that gave it up, which the trace says.
[[nodiscard]] Result<std::string> record_trace(Target& target, const Wanted& wanted);

/// Reads what was recorded of a target, finds the symbols (`symbols=FILE`, in the image or beside
/// it, else the guest's own, by booting it again) and chooses the path. Fails as read_trace(),
/// Symbols::read() and choose_path() do.
[[nodiscard]] Result<RecordedPath> path_of_trace(Target& target, std::string_view bytes,
                                                 const Wanted& wanted);

/// Records, and takes the path of it.
[[nodiscard]] Result<RecordedPath> record_path(Target& target, const Wanted& wanted);

/// Paths that are compared must be recorded in the same way, or accesses to memory are compared
/// with none. Where single steps recorded some of these, what the plugin recorded is replaced by
/// what `by_steps` makes of the same (an index into `paths`), or by its error.
void record_alike(std::span<Result<RecordedPath>* const> paths,
                  const std::function<Result<RecordedPath>(std::size_t)>& by_steps);

}  // namespace kerntoll::lab::path
