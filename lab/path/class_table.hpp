// SPDX-License-Identifier: MIT
// The form of the tables that say what an architecture's instructions do.
#pragma once

#include <span>
#include <string_view>

#include "lab/path/classes.hpp"

namespace kerntoll::lab::path {

/// A class without its name.
struct Effect {
    Flow flow = Flow::next;
    bool indirect = false;
    bool atomic = false;
    bool barrier = false;
    bool gives_way = false;
    bool unseen = false;
};

// What a row may say; the tables read better with words than with flags.
inline constexpr Effect nothing{};
inline constexpr Effect jump{.flow = Flow::jump};
inline constexpr Effect indirect_jump{.flow = Flow::jump, .indirect = true};
inline constexpr Effect branch{.flow = Flow::branch};
inline constexpr Effect indirect_branch{.flow = Flow::branch, .indirect = true};
inline constexpr Effect call{.flow = Flow::call};
inline constexpr Effect indirect_call{.flow = Flow::call, .indirect = true};
inline constexpr Effect ret{.flow = Flow::ret};
inline constexpr Effect trap{.flow = Flow::trap};
inline constexpr Effect trap_return{.flow = Flow::trap_return};
inline constexpr Effect atomic{.atomic = true};
inline constexpr Effect barrier{.barrier = true};
inline constexpr Effect gives_way{.gives_way = true};
inline constexpr Effect unseen{.unseen = true};

/// Instructions whose text fits `pattern` have `effect`. The first row that fits counts.
struct Row {
    /// As in fnmatch(3). It is compared with the text without the instruction's bytes in front,
    /// with single spaces and none at the end.
    const char* pattern;
    Effect effect;
    /// The instruction's name where it is counted by name, or empty. $0 is its mnemonic and $1 to
    /// $9 are the words behind it, without the marks around them.
    std::string_view special = {};
};

extern const std::span<const Row> x86_64_rows;
extern const std::span<const Row> arm64_rows;
extern const std::span<const Row> riscv64_rows;
extern const std::span<const Row> s390x_rows;
extern const std::span<const Row> loongarch64_rows;

}  // namespace kerntoll::lab::path
