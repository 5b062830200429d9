// SPDX-License-Identifier: MIT
// Pages of docs/ whose tables a program prints: each stands between two marks, so that the program
// can put it there, and a test can hold the page to it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::bench {

/// A table between <!-- begin NAME --> and <!-- end NAME -->.
struct PageTable {
    std::string name;
    std::string text;  ///< with the line break at its end
};

/// The page with the tables between their marks. Fault::usage where a mark is missing.
[[nodiscard]] lab::Result<std::string> put_tables(std::string page,
                                                  const std::vector<PageTable>& tables);

/// What a measurement came to.
struct Measured {
    std::vector<PageTable> tables;
    /// What should not be so, a sentence each: a figure beyond its limit, or one that a page gives
    /// by hand and that is another one.
    std::vector<std::string> complaints;
};

/// Measures, and says what belongs into a page that reads so as it stands.
using Measure = std::function<lab::Result<Measured>(const std::string& page_as_it_is)>;

/// What a program of this kind does on the command line: prints its tables, or with --write FILE or
/// --check FILE puts them into a page or compares it with them. The exit code: 1 where a page has
/// other figures or there is a complaint, 2 where nothing can be said. `program` and `what` are its
/// name and its help.
[[nodiscard]] int run_page(int argc, char** argv, std::string_view program, std::string_view what,
                           const Measure& measure);

}  // namespace kerntoll::bench
