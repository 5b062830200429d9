// SPDX-License-Identifier: MIT
// Paths as a picture: the round trip from user to user as a strip, one instruction as wide as any
// other, A above B.
#pragma once

#include <string>

#include "lab/path/explain.hpp"

namespace kerntoll::lab::path {

/// An SVG document without scripts and without anything that is loaded from elsewhere, readable on
/// light and dark pages. What went is hatched in A, what came in B.
[[nodiscard]] std::string picture(const Explanation& explanation);
/// One path alone, with nothing hatched.
[[nodiscard]] std::string picture(const Traced& traced);

}  // namespace kerntoll::lab::path
