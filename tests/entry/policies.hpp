// SPDX-License-Identifier: MIT
// Every policy that the hosted port has, one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kerntoll/entry/policy.hpp"
#include "tests/entry/model.hpp"
#include "tests/entry/scenario.hpp"

namespace kerntoll::test {

/// One policy and the path that it makes.
struct PolicyRow {
    entry::Policy policy;
    Story (*tell)(const Scenario&);

    [[nodiscard]] Visible visible() const {
        return {.work = policy.work == entry::WorkWords::full,
                .checks = policy.debug == entry::Switched::on};
    }
};

/// Switches have 24 combinations (three of dispatch and nospec; work, stack_offset, debug), forms
/// 27 (enter, exit, common); a lazy frame has one form.
inline constexpr std::size_t switch_combinations = 24;
inline constexpr std::size_t form_combinations = 27;

/// The policy of these combinations.
constexpr entry::Policy policy_of(std::size_t switches, std::size_t forms) {
    entry::Policy policy;
    // A table with its mask or without, or a switch, which has none to leave out.
    policy.dispatch = switches % 3 == 2 ? entry::Dispatch::by_switch : entry::Dispatch::by_table;
    policy.nospec = switches % 3 == 1 ? entry::Nospec::off : entry::Nospec::mask;
    policy.work = static_cast<entry::WorkWords>(switches / 3 & 1U);
    policy.stack_offset = static_cast<entry::Switched>(switches / 6 & 1U);
    policy.debug = static_cast<entry::Switched>(switches / 12);
    policy.enter = static_cast<entry::Inlining>(forms % 3);
    policy.exit = static_cast<entry::Inlining>(forms / 3 % 3);
    policy.common = static_cast<entry::Inlining>(forms / 9);
    return policy;
}

/// The rows that policies_part.cpp makes for that part, 0 to 3.
template <std::size_t part>
[[nodiscard]] std::span<const PolicyRow> policies_of_part();
template <>
std::span<const PolicyRow> policies_of_part<0>();
template <>
std::span<const PolicyRow> policies_of_part<1>();
template <>
std::span<const PolicyRow> policies_of_part<2>();
template <>
std::span<const PolicyRow> policies_of_part<3>();

/// All of them: those with a full frame, then those with a lazy one.
[[nodiscard]] const std::vector<PolicyRow>& all_policies();

/// "enter=inlined,exit=outlined,…"
[[nodiscard]] std::string spelled(const entry::Policy& policy);

}  // namespace kerntoll::test
