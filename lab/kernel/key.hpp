// SPDX-License-Identifier: MIT
// Names of kernels in the cache.
#pragma once

#include <string>

#include "lab/kernel/builder.hpp"
#include "lab/kernel/tree.hpp"

namespace kerntoll::lab::kernel {

/// The wanted configuration's text: what was asked for, before Kconfig.
[[nodiscard]] std::string wanted_config(const BuildPlan& plan);

/// A digest of all that decides the bytes of a kernel: the tree's content, the wanted
/// configuration, the compiler, what make is told, patches and padding. Hexadecimal digits.
[[nodiscard]] std::string key_of(const Tree& tree, const BuildPlan& plan, const Side& side);

}  // namespace kerntoll::lab::kernel
