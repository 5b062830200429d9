// SPDX-License-Identifier: MIT
// What became of a path's functions and of the size of its image, in sentences: those of `explain`
// and, shorter, those under a comparison's table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/store/path.hpp"

namespace kerntoll::lab::report {

/// "+9", "-22"; "0" has no sign.
[[nodiscard]] std::string signed_text(std::int64_t number);
/// after - before.
[[nodiscard]] std::int64_t difference_of(std::uint64_t before, std::uint64_t after);
/// "9 → 8", or "9" where nothing changed.
[[nodiscard]] std::string change_text(std::uint64_t before, std::uint64_t after);
/// "1 instruction", "13 instructions".
[[nodiscard]] std::string plural(std::uint64_t number, std::string_view noun);

/// Writes a function's name, which may be anything, into a sentence.
using Quote = std::string (*)(std::string_view name);

/// Whether both paths execute the same instructions in the same order.
[[nodiscard]] bool same_path(std::span<const store::FunctionChange> functions);

/// What of a path is told: everything, or only what a reader of a time must know.
enum class Telling { whole, brief };
/// What became of the functions. `whole` also tells of those that are the same.
[[nodiscard]] std::vector<std::string> function_sentences(
    std::span<const store::FunctionChange> functions, Quote quote, Telling telling);

/// What the change costs in bytes: of the images, of the code on the paths, and of functions that
/// left the path but not the image. One sentence says so where the images' sizes are not known.
[[nodiscard]] std::vector<std::string> size_sentences(
    const store::ImageSizes& base, const store::ImageSizes& change,
    std::span<const store::FunctionChange> functions, Quote quote);

}  // namespace kerntoll::lab::report
