// SPDX-License-Identifier: MIT
// Which CPU the machines are measured on.
#pragma once

#include <optional>

#include "lab/base/error.hpp"

namespace kerntoll::cli {

/// The CPU that the user asked for, or else the last one that this process may use: the first ones
/// usually serve the interrupts. Fault::usage where the wish is not among the usable ones.
[[nodiscard]] lab::Result<int> choose_cpu(std::optional<int> wish);

}  // namespace kerntoll::cli
