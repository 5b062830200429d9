// SPDX-License-Identifier: MIT
// Which kinds of targets there are and which options each takes: the one table behind the checks of
// open_target() and the text of --help.
#pragma once

#include <span>
#include <string_view>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// One option of a target: `key=values`, and what it does in one line.
struct OptionHelp {
    std::string_view key;
    std::string_view values;
    std::string_view help;
};

/// One kind of target.
struct TargetKind {
    std::string_view name;
    std::string_view subject;  ///< what follows the colon ("IMAGE"); empty where nothing does
    std::string_view help;
    std::span<const OptionHelp> options;
    std::span<const OptionHelp> treatments;  ///< what the agent is asked to do before it measures
};

/// All kinds, in the order in which they are shown.
[[nodiscard]] std::span<const TargetKind> target_kinds();

/// The kind of this name, or nullptr.
[[nodiscard]] const TargetKind* find_target_kind(std::string_view name);

/// Whether an option of a kind can be anything but its default there: `hosted` knows all axes of
/// the entry path, and refuses some in words of their own.
[[nodiscard]] bool has_a_choice(const TargetKind& kind, const OptionHelp& option);

/// Fault::usage, naming what exists and what is nearest, where the target's kind or one of its
/// options is unknown, or its subject is missing.
[[nodiscard]] Result<void> check_kind(const TargetSpec& spec);

}  // namespace kerntoll::lab
