// SPDX-License-Identifier: MIT
// The symbols of the kernel that the agent runs on.
#pragma once

#include "agent/sentence.hpp"
#include "agent/symbol_table.hpp"

namespace kerntoll::agent {

/// Reads the kernel's symbols into `table`. The first process of a machine mounts proc for that and
/// takes it away again.
[[nodiscard]] Outcome read_symbols(SymbolTable& table);

}  // namespace kerntoll::agent
