// SPDX-License-Identifier: MIT
// Compiled once for each of the forms of `common` (KERNTOLL_PART 0 to 2) and once for lazy frames
// (3): in one piece it would be a minute of one processor.
#include <array>
#include <cstddef>
#include <utility>

#include "tests/entry/policies.hpp"
#include "tests/entry/stage.hpp"

namespace kerntoll::test {
namespace {

constexpr std::size_t part = KERNTOLL_PART;
constexpr bool lazy = part == 3;
constexpr std::size_t rows = switch_combinations * (lazy ? 1 : form_combinations / 3);

template <std::size_t index>
constexpr PolicyRow row() {
    constexpr entry::Policy policy = [] {
        entry::Policy chosen =
            policy_of(index % switch_combinations,
                      index / switch_combinations + (lazy ? 0 : part * form_combinations / 3));
        chosen.frame = lazy ? entry::FrameKind::lazy : entry::FrameKind::full;
        return chosen;
    }();
    return {policy, tell_path<policy>};
}

constexpr auto table = []<std::size_t... index>(std::index_sequence<index...>) {
    return std::array<PolicyRow, rows>{row<index>()...};
}(std::make_index_sequence<rows>());

}  // namespace

template <>
std::span<const PolicyRow> policies_of_part<part>() {
    return table;
}

}  // namespace kerntoll::test
