// SPDX-License-Identifier: MIT
// When two instructions of two kernels are the same one, and what two sequences have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// An instruction's text for reading: with single spaces, and without the encoding that QEMU's own
/// disassemblers (riscv64, loongarch64) print before it.
[[nodiscard]] std::string disassembly(const Instruction& instruction);

/// The disassembly of every step without what depends on where the linker put things: addresses,
/// the targets of direct branches and calls, and both halves of an address that is made from the
/// program counter. Steps with equal texts are the same instruction.
[[nodiscard]] std::vector<std::string> comparable(std::span<const Step> steps);

/// A comparable text without its registers: what inlining, which allocates registers anew, keeps.
[[nodiscard]] std::string without_registers(std::string_view comparable);

/// Indices into two sequences, both ascending.
using Matches = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A longest common subsequence. Eugene W. Myers, "An O(ND) Difference Algorithm and Its
/// Variations", Algorithmica 1 (1986), in its form for linear space.
[[nodiscard]] Matches longest_common(std::span<const std::uint32_t> base,
                                     std::span<const std::uint32_t> change);

}  // namespace kerntoll::lab::path
