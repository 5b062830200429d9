// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace kerntoll::lab {

/// Where kerntoll keeps what it can make again: $XDG_CACHE_HOME/kerntoll, or ~/.cache/kerntoll (XDG
/// Base Directory Specification 0.8). It need not be there yet.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace kerntoll::lab
