// SPDX-License-Identifier: MIT
// Placebos of a kernel: functions that nobody calls, put between the others, so that the same
// instructions come to lie at other addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/kernel/kbuild.hpp"

namespace kerntoll::lab::kernel {

/// What is appended to one source file.
struct Padding {
    std::string file;  ///< relative to the sources
    std::string text;
};

/// Padding for the files of a fixed list, not all of which every configuration compiles. How much
/// of it goes where is drawn from the seed, in ordinary and in entry code (.noinstr.text), which
/// the linker puts apart.
[[nodiscard]] std::vector<Padding> padding_of(const KbuildRow& row, std::uint32_t seed);

}  // namespace kerntoll::lab::kernel
