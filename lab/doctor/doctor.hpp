// SPDX-License-Identifier: MIT
// The doctor: what this machine can measure, what stands in the way, and what to do about it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/doctor/evidence.hpp"

namespace kerntoll::lab::doctor {

/// What a finding means for measuring.
enum class Standing {
    good,     ///< as it should be
    limit,    ///< measuring works, and this makes it coarser or narrower
    missing,  ///< something cannot be measured at all
};
/// "good", "limit", "missing".
[[nodiscard]] std::string_view name(Standing standing);

struct Finding {
    std::string subject;  ///< "governor", "QEMU for arm64", …
    Standing standing = Standing::good;
    std::string text;    ///< what is the case
    std::string remedy;  ///< what to do about it; empty only where the standing is good
};

/// Judges what was gathered; in the order in which it is best read.
[[nodiscard]] std::vector<Finding> examine(const Evidence& evidence);

/// For people: one paragraph each, the remedy below its finding, and a line that counts them.
[[nodiscard]] std::string to_text(std::span<const Finding> findings);

/// The same as a Markdown table.
[[nodiscard]] std::string to_markdown(std::span<const Finding> findings);

/// For programs: {"schema": …, "findings": [{"subject", "standing", "text", "remedy"}, …]}.
[[nodiscard]] std::string to_json(std::span<const Finding> findings);

}  // namespace kerntoll::lab::doctor
