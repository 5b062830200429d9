// SPDX-License-Identifier: MIT
// The bounds check of a number that a user chose, and the mask behind it. A processor guesses the
// answer of a check and goes on: with a number beyond the table it would load what lies there, call
// it or use it as an address, and leave in its caches what that was. So the number is masked by
// arithmetic, which nothing guesses, behind the branch and in front of the load (Linux:
// array_index_mask_nospec(), Documentation/staging/speculation.rst). C++ may not say so, since a
// compiler that sees `index < count` twice drops one of them; each port's nospec.hpp does, in
// assembly, with branch and mask on one comparison.
#pragma once

namespace kerntoll::entry::port {

/// Whether `index` is below `count`. Then it also comes out masked: what it was, or 0 where this
/// answer was mispredicted.
[[gnu::always_inline]] inline bool is_inside(unsigned long& index, unsigned long count);

}  // namespace kerntoll::entry::port
