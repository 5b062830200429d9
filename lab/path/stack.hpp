// SPDX-License-Identifier: MIT
// How deep a path goes into the kernel's stack.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// Bytes from where the stack pointer stands when the kernel has taken its own stack to the lowest
/// place that the path moves it to; nothing where no instruction of the path moves it by a number.
///
/// It is taken from the instructions and not from their accesses: of what lies near the stack
/// pointer not all is stack, and much of a stack is reached by pointers. A number that lies in a
/// register does not count, which leaves out the random offset that a kernel may give its stack
/// (randomize_kstack_offset), and arrays whose size is computed.
[[nodiscard]] std::optional<std::uint64_t> stack_bytes(std::span<const Step> steps, Arch arch);

}  // namespace kerntoll::lab::path
