// SPDX-License-Identifier: MIT
#include "lab/report/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerntoll::lab::report {
namespace {

using store::Role;

constexpr std::uint32_t letters = 14;  // B to O: P is for placebos

std::uint32_t with_role(const store::RunRecord& run, Role role, std::uint32_t before) {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        run.arms, [&](const auto& arm) { return arm.role == role && arm.index < before; }));
}

}  // namespace

std::string label(const store::RunRecord& run, std::uint32_t arm) {
    const auto number = with_role(run, run.arms[arm].role, arm);
    switch (run.arms[arm].role) {
        case Role::base:
            return "A";
        case Role::control:
            return "A again";
        case Role::change:
            return number < letters ? std::string(1, static_cast<char>('B' + number))
                                    : fmt::format("B{}", number + 1);
        case Role::placebo:
            const bool only = with_role(run, Role::placebo, UINT32_MAX) == 1;
            return only ? "P" : fmt::format("P{}", number + 1);
    }
    return {};
}

}  // namespace kerntoll::lab::report
