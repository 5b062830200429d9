// SPDX-License-Identifier: MIT
// Symbols from the machine itself, where there is no file of them.
#pragma once

#include "lab/path/symbols.hpp"
#include "lab/path/trace.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::path {

/// The functions that a path runs through, as the kernel that executed it names them: the agent,
/// which has read /proc/kallsyms (Machine::read_symbols), is asked for one after the other.
[[nodiscard]] Result<Symbols> ask_symbols(Machine& machine, const Trace& trace, const Path& path);

}  // namespace kerntoll::lab::path
