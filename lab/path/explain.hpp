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
#include "lab/report/path_words.hpp"

namespace kerntoll::lab::path {

using report::change_text;
using report::difference_of;
using report::plural;
using report::Quote;
using report::signed_text;
using store::quantities;
using store::Quantity;
using store::special;
using store::specials_of;

/// A path and where it comes from. The trace that its steps point into must outlive it, and so must
/// the symbols.
struct Traced {
    std::string target;  ///< as typed
    std::string workload;
    Anatomy anatomy;
    store::ImageSizes image = {};
    const Symbols* symbols = nullptr;       ///< null where none were found
    std::vector<std::string> remarks = {};  ///< sentences: other paths seen, symbols missing
};

struct Explanation {
    Traced base;
    Traced change;
    Difference difference;
};
/// Compares two paths, and looks up what the images hold of functions that one path alone has.
/// Where one side alone has names of functions, the other goes by them (lend_names), and a remark
/// says so.
[[nodiscard]] Explanation explain(Traced base, Traced change);

/// What is kept of the difference: its functions without their other counts.
[[nodiscard]] std::vector<store::FunctionChange> changes_of(const Difference& difference);

/// A step's instruction as it is listed; one that leaves its function says for which.
[[nodiscard]] std::string disassembly(const Anatomy& anatomy, std::uint32_t step);

/// What is counted and does not differ, as one sentence; empty where all differs.
[[nodiscard]] std::string same_text(const Explanation& explanation);
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

/// The difference in sentences.
[[nodiscard]] std::vector<std::string> sentences(const Explanation& explanation, Quote quote);

}  // namespace kerntoll::lab::path
