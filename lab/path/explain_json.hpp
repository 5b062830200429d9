// SPDX-License-Identifier: MIT
// One path, or the difference of two, for scripts. docs/path.md describes the keys.
#pragma once

#include <string>

#include "lab/path/explain.hpp"

namespace kerntoll::lab::path {

[[nodiscard]] std::string to_json(const Traced& traced);
[[nodiscard]] std::string to_json(const Explanation& explanation);

}  // namespace kerntoll::lab::path
