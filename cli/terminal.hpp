// SPDX-License-Identifier: MIT
// What the command may do with the terminal in front of it.
#pragma once

#include <cstddef>

namespace kerntoll::cli {

/// Whether this descriptor (1: output, 2: messages) is a terminal that understands control
/// sequences.
[[nodiscard]] bool is_terminal(int descriptor);

/// Whether output may be coloured: on a terminal, unless NO_COLOR is set (no-color.org).
[[nodiscard]] bool may_colour(int descriptor);

/// Columns of the output; 100 where it is not a terminal or the terminal does not say.
[[nodiscard]] std::size_t columns(int descriptor);

}  // namespace kerntoll::cli
