// SPDX-License-Identifier: MIT
// make(1), watched: how far it is, and what went wrong first.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// One step that make has announced.
struct MakeProgress {
    std::size_t steps = 0;  ///< so far: files compiled, linked, generated
    std::string step;       ///< "CC kernel/fork.o"
};

/// What make is asked for.
struct MakeCall {
    std::filesystem::path source;    ///< -C
    std::filesystem::path objects;   ///< O=
    std::vector<std::string> words;  ///< variables and targets
    unsigned jobs = 1;               ///< -j
    std::filesystem::path log;       ///< everything it prints is appended there
    std::string what;                ///< for messages: "riscv64 by gcc, base"
    int lock = -1;                   ///< all that make starts keeps this open; -1: nothing
    std::function<void(const MakeProgress&)> progress = {};  ///< may be empty
};

/// Variables that every call of make is given: the same bytes for the same sources, whoever builds
/// them when.
[[nodiscard]] std::span<const std::string_view> reproducible_variables();

/// Runs make to its end; when the lab is asked to stop, make and all that it started are ended
/// (Fault::interrupted). Fault::measurement with the compiler's first error where it fails, the
/// lines around it as Error::console; Fault::environment where the disk is full or make is missing.
/// Returns the number of steps.
[[nodiscard]] Result<std::size_t> run_make(const MakeCall& call);

/// The line that says why a build failed, or an empty text: the first error of a compiler, an
/// assembler, a linker or Kconfig, else what make says.
[[nodiscard]] std::string first_error(std::string_view output);

}  // namespace kerntoll::lab::kernel
