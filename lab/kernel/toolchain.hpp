// SPDX-License-Identifier: MIT
// The compilers that build kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/kernel/kbuild.hpp"

namespace kerntoll::lab::kernel {

enum class Compiler { gcc, clang };
[[nodiscard]] std::string_view name(Compiler compiler);

/// A compiler that is there.
struct Toolchain {
    Compiler compiler = Compiler::gcc;
    std::string version;                 ///< "gcc 12.2.0", for people
    std::string identity;                ///< what it and its parts print and are: sizes, times
    std::vector<std::string> variables;  ///< CROSS_COMPILE= or LLVM= for make
};

/// Looks a compiler up for an architecture. Fault::environment, with Debian's package, where it or
/// its linker is missing.
[[nodiscard]] Result<Toolchain> find_toolchain(const KbuildRow& row, Compiler compiler);

}  // namespace kerntoll::lab::kernel
