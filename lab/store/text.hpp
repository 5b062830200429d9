// SPDX-License-Identifier: MIT
// Records' parts as the text that the store keeps, and back. Lists and facts are JSON arrays, so
// that other tools can read them (SQLite's json_each).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/store/records.hpp"

namespace kerntoll::lab::store {

/// ["a","b"]; bytes that are not UTF-8 (a guest's console prints what it likes) become U+FFFD.
[[nodiscard]] std::string to_text(const std::vector<std::string>& list);
/// [["key","value"],…]
[[nodiscard]] std::string to_text(const Provenance& facts);
/// {"name":2,…}
[[nodiscard]] std::string to_text(const std::map<std::string, std::uint64_t>& numbers);
/// What is not such a text reads as nothing: a damaged remark must not hide a run's batches.
[[nodiscard]] std::vector<std::string> list_from_text(std::string_view text);
[[nodiscard]] Provenance facts_from_text(std::string_view text);
[[nodiscard]] std::map<std::string, std::uint64_t> numbers_from_text(std::string_view text);

/// The enumerator whose name() this is.
template <class Enum, std::size_t count>
[[nodiscard]] std::optional<Enum> from_name(std::string_view text,
                                            const std::array<Enum, count>& all) {
    for (const Enum each : all) {
        if (name(each) == text) {
            return each;
        }
    }
    return std::nullopt;
}

}  // namespace kerntoll::lab::store
