// SPDX-License-Identifier: MIT
// Answers go to stdout, everything else to stderr.
#pragma once

#include <string_view>

#include "lab/base/error.hpp"

namespace kerntoll::cli {

/// Writes an answer to stdout and sees it out: Fault::environment where that fails (disk full), so
/// that a script never takes half an answer for one. That a pipe's reader has gone is its own
/// choice.
[[nodiscard]] lab::Result<void> print_answer(std::string_view text);

/// Writes to stderr. What cannot be told there (closed, full, its reader gone) is lost, and costs
/// the measurement nothing.
void tell(std::string_view text);

/// Tells an error on stderr: its sentence, then the target's last console lines.
void print_error(const lab::Error& error);

/// Tells something else on stderr, as one line.
void print_note(std::string_view text);

}  // namespace kerntoll::cli
