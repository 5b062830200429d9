// SPDX-License-Identifier: MIT
// What `trace` and `explain` have in common: what is recorded, and in which form it is told.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab/path/explain_text.hpp"
#include "lab/path/record.hpp"

namespace kerntoll::cli {

enum class PathFormat { text, markdown, json, folded, speedscope, svg };

struct PathOptions {
    lab::path::Wanted wanted;
    lab::path::Listing listing = lab::path::Listing::brief;
    PathFormat format = PathFormat::text;
};

/// Which forms a command has: a flame graph shows one path.
enum class Paths { one, two };
void add_path_options(CLI::App& command, PathOptions& options, Paths paths);

/// Fault::usage where options do not go together.
[[nodiscard]] lab::Result<void> check_path_options(const PathOptions& options);

/// Opens a target and records its path.
[[nodiscard]] lab::Result<lab::path::RecordedPath> record_target(const std::string& text,
                                                                 const PathOptions& options);

}  // namespace kerntoll::cli
