// SPDX-License-Identifier: MIT
// Whether symbols and a path are of the same kernel.
#pragma once

#include "lab/path/symbols.hpp"
#include "lab/path/trace.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::path {

/// Fault::usage, in one sentence with an example, where the symbols, moved to where the kernel ran,
/// are certainly not those of the kernel that executed a path (docs/path.md says what shows it).
[[nodiscard]] Result<void> check_fit(const Symbols& symbols, const Trace& trace, const Path& path,
                                     Arch arch);

}  // namespace kerntoll::lab::path
