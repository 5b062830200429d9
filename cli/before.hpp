// SPDX-License-Identifier: MIT
// What is found out about arms before they are timed: how many instructions an op has, and
// which ones a call executes.
#pragma once

#include "cli/progress.hpp"
#include "cli/session.hpp"

namespace kerntoll::cli {

/// Counts instructions and records paths, as far as the session asks for it and an earlier one has
/// not done it, in boots beside each other. Whatever could be counted is kept, also where one of
/// the arms fails; the first such failure is the error. A path that cannot be recorded is an event.
[[nodiscard]] lab::Result<void> count_and_record(Session& session, ProgressLine& progress);

}  // namespace kerntoll::cli
