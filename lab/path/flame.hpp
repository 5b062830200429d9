// SPDX-License-Identifier: MIT
// The call tree of a path in the forms that flame-graph tools read. Widths are instructions, never
// time.
#pragma once

#include <string>
#include <string_view>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// One line for each stack, "handle_exception;do_trap_ecall_u 44", as Brendan Gregg's flamegraph.pl
/// and its many relatives read it; "_[i]" marks an inlined frame, as there. Equal stacks are summed
/// up, in the order in which the path first has them.
[[nodiscard]] std::string folded(const Anatomy& anatomy);

/// A profile for speedscope (https://www.speedscope.app/file-format-schema.json): type "sampled",
/// stacks in path order, so that its time order is the order of execution.
[[nodiscard]] std::string speedscope(const Anatomy& anatomy, std::string_view profile_name);

}  // namespace kerntoll::lab::path
