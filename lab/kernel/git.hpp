// SPDX-License-Identifier: MIT
// git, asked so that it writes nothing into the user's repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// Whether the user's and the machine's configuration of git counts. It must where their work tree
/// is read, which they have git translate, and must not where it could make an outcome another one.
enum class GitSettings { ours, users };

/// What git is run as.
struct GitCall {
    std::filesystem::path folder;               ///< it works there
    std::vector<std::string> words;             ///< its arguments
    std::vector<std::string> environment = {};  ///< NAME=value
    GitSettings settings = GitSettings::ours;
    std::filesystem::path standard_output = {};  ///< a file for its output; empty: it is returned
};

/// What git prints on standard output. It runs no hooks, and fetches nothing that a partial clone
/// lacks. Fault::usage with git's own words where it fails,
/// Fault::environment where the disk is full.
[[nodiscard]] Result<std::string> git(const GitCall& call);

}  // namespace kerntoll::lab::kernel
