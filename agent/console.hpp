// SPDX-License-Identifier: MIT
// The agent's only way to the outside: a pipe, or the console of a machine that it is the first
// process of.
#pragma once

#include <stddef.h>

#include "wire/text.hpp"

namespace kerntoll::agent {

/// Opens /dev/console as standard input and output where there is no standard input (the kernel
/// found no console for its first process), and puts a terminal into raw mode: no echo, no
/// translation of line ends. A terminal that refuses works too, since the protocol survives both.
void open_console();

/// Waits for input and takes what is there, at most `size` bytes; 0 at the end of input or after a
/// fault that no waiting cures.
[[nodiscard]] size_t read_console(char* bytes, size_t size);

/// Writes all of it. False where the other side is gone.
[[nodiscard]] bool write_console(wire::Text text);

/// Waits until everything written has left a serial line.
void drain_console();

}  // namespace kerntoll::agent
