// SPDX-License-Identifier: MIT
#include "cli/condition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/units.hpp"

namespace kerntoll::cli {
namespace {

constexpr std::string_view negation = "not-";

}  // namespace

bool Condition::holds(std::span<const lab::stats::Verdict> rows) const {
    return std::ranges::any_of(
        rows, [this](lab::stats::Verdict row) { return (row == verdict) != negated; });
}

std::string Condition::text() const {
    return fmt::format("{}{}", negated ? negation : "", lab::stats::name(verdict));
}

lab::Result<std::vector<Condition>> parse_conditions(std::string_view text) {
    std::vector<Condition> conditions;
    for (const std::string& word : split_list(text)) {
        const bool negated = word.starts_with(negation);
        const auto verdict = lab::stats::verdict_from_name(
            std::string_view(word).substr(negated ? negation.size() : 0));
        if (!verdict) {
            return lab::fail(
                lab::Fault::usage,
                fmt::format("'{}' is no condition; write faster, slower, equivalent, layout-like, "
                            "undecided or untrusted, or one of them with not- before it",
                            word));
        }
        conditions.push_back({*verdict, negated});
    }
    return conditions;
}

}  // namespace kerntoll::cli
