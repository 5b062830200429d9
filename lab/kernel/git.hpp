// SPDX-License-Identifier: MIT
// git, asked so that it writes nothing into the user's repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// What git is run as.
struct GitCall {
    std::filesystem::path folder;                ///< it works there
    std::vector<std::string> words;              ///< its arguments
    std::vector<std::string> environment = {};   ///< NAME=value
    std::filesystem::path standard_output = {};  ///< a file for its output; empty: it is returned
};

/// What git prints on standard output. Fault::usage with git's own words where it fails,
/// Fault::environment where the disk is full.
[[nodiscard]] Result<std::string> git(const GitCall& call);

}  // namespace kerntoll::lab::kernel
