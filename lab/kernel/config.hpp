// SPDX-License-Identifier: MIT
// Kernel configurations: where they come from, and whether Kconfig took what was asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/kernel/kbuild.hpp"

namespace kerntoll::lab::kernel {

/// A fragment that comes with kerntoll, by its name in lab/kernel/configs/; empty where there is
/// none.
[[nodiscard]] std::string_view fragment(std::string_view name);

/// What an architecture gets beside the tree's tinyconfig: what all have in common, then its own.
[[nodiscard]] std::string fragments_of(Arch arch);

/// One option as a .config has it: "SMP" and "y". One that is not set has the value "n".
struct Setting {
    std::string option;
    std::string value;
};

/// The settings in a .config or a fragment; where an option is set twice, the last one.
[[nodiscard]] std::vector<Setting> settings_in(std::string_view config);

/// What was asked for and is not so, as "SMP=y" (what became of it is in `config`): Kconfig drops
/// without a word what the tree does not have or what depends on something else. An option that the
/// fragment's comment "# CONFIG_NEW was CONFIG_OLD before …" gives two names is so where either is.
[[nodiscard]] std::vector<std::string> not_taken(std::string_view wanted, std::string_view config);

/// The options that two .configs set differently, as "SMP=y (base: n)", by name.
[[nodiscard]] std::vector<std::string> differences(std::string_view base, std::string_view change);

}  // namespace kerntoll::lab::kernel
