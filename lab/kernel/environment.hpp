// SPDX-License-Identifier: MIT
// What programs that kernels are made by learn of the user's environment.
#pragma once

#include <string>
#include <vector>

namespace kerntoll::lab::kernel {

/// The beginning of a command that is run with an environment of its own: what it needs to find
/// programs and a place for its files, and nothing that could make its outcome another one.
/// NAME=value words and the command are to follow.
[[nodiscard]] std::vector<std::string> in_own_environment();

}  // namespace kerntoll::lab::kernel
