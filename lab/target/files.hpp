// SPDX-License-Identifier: MIT
// Files as a whole: those that kerntoll brings along or made itself, so small ones.
#pragma once

#include <filesystem>
#include <string>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// A file's bytes. Fault::environment where it cannot be read or holds none.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// The agent program of an architecture (agent_path()).
[[nodiscard]] Result<std::string> read_agent(Arch arch);

}  // namespace kerntoll::lab
