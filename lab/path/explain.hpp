// SPDX-License-Identifier: MIT
// What there is to say about one path and about two, before anybody lays it out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/align.hpp"
#include "lab/path/difference.hpp"

namespace kerntoll::lab::path {

/// Bytes of a kernel image.
struct ImageSize {
    std::uint64_t text = 0;
    std::uint64_t rodata = 0;  ///< read-only data
};

/// A path and where it comes from. The trace that its steps point into must outlive it.
struct Traced {
    std::string target;  ///< as typed
    std::string workload;
    Anatomy anatomy;
    std::optional<ImageSize> image = {};
    std::vector<std::string> remarks = {};  ///< sentences: other paths seen, symbols missing
};

struct Explanation {
    Traced base;
    Traced change;
    Difference difference;
};
[[nodiscard]] Explanation explain(Traced base, Traced change);

/// Something that is counted, in words.
struct Quantity {
    std::string_view name;    ///< "taken branches"
    std::string_view column;  ///< "taken": the head of a narrow column
    std::string_view key;     ///< in JSON
    std::uint64_t Counts::* count;
};
/// All but the specials, in the order in which they are printed.
[[nodiscard]] std::span<const Quantity> quantities();

/// The names of the specials of either side, in alphabetical order.
[[nodiscard]] std::vector<std::string> specials_of(const Counts& base, const Counts& change);
/// How many specials of that name there are.
[[nodiscard]] std::uint64_t special(const Counts& counts, const std::string& name);

/// A step's instruction as it is listed; one that leaves its function says for which.
[[nodiscard]] std::string disassembly(const Anatomy& anatomy, std::uint32_t step);

/// "+9", "-22"; "0" has no sign.
[[nodiscard]] std::string signed_text(std::int64_t number);
/// after - before.
[[nodiscard]] std::int64_t difference_of(std::uint64_t before, std::uint64_t after);
/// What is counted and does not differ, as one sentence; empty where all differs.
[[nodiscard]] std::string same_text(const Explanation& explanation);
/// "9 → 8", or "9" where nothing changed.
[[nodiscard]] std::string change_text(std::uint64_t before, std::uint64_t after);
/// "1 instruction", "13 instructions".
[[nodiscard]] std::string plural(std::uint64_t number, std::string_view noun);
/// "210 → 197 instructions, -13 (-6.19 %)".
[[nodiscard]] std::string total_text(const Explanation& explanation);

/// A step that one path has and the other has not.
struct LoneStep {
    enum class Side : std::uint8_t { base, change } side;
    std::uint32_t step;  ///< index into that side's Anatomy::steps
};
/// Those of one function, in path order.
struct Account {
    std::string function;
    std::vector<LoneStep> steps;
};
/// Functions in the order in which either path reaches such a step.
[[nodiscard]] std::vector<Account> accounts(const Explanation& explanation);

/// The accounts as lines of a listing that holds at most `most` instructions.
struct AccountLine {
    enum class Kind : std::uint8_t { function, went, came, more } kind;
    std::string text;  ///< a name, an instruction or how many more there are; as it came
};
[[nodiscard]] std::vector<AccountLine> account_lines(const Explanation& explanation,
                                                     std::size_t most);

/// Writes a function's name, which may be anything, into a sentence.
using Quote = std::string (*)(std::string_view name);
/// The difference in sentences.
[[nodiscard]] std::vector<std::string> sentences(const Explanation& explanation, Quote quote);

}  // namespace kerntoll::lab::path
