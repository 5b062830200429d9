// SPDX-License-Identifier: MIT
// What all JSON that kerntoll prints has in common. docs/json.md describes it for its readers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace kerntoll::lab::report {

/// Version of the JSON form: counted up when a key goes away or changes its meaning, not when one
/// is added.
inline constexpr int json_schema = 1;

/// As text with a final newline. Numbers that are not finite become null, bytes that are not UTF-8
/// U+FFFD: it is JSON in every case.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& json);

/// Nanoseconds since the epoch as UTC, RFC 3339: "2026-07-30T12:00:00Z".
[[nodiscard]] std::string time_text(std::int64_t ns);

}  // namespace kerntoll::lab::report
