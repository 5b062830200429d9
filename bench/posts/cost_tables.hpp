// SPDX-License-Identifier: MIT
// What docs/entry-cost.md says by hand, instruction by instruction: read back, so that its sums can
// be held to what is counted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::bench {

/// A table of the page: its rows, cell by cell without the spaces around them, and the last heading
/// in front of it.
struct CostTable {
    std::string heading;
    std::vector<std::vector<std::string>> rows;  ///< the first one names the columns
};

/// All tables of a page in Markdown.
[[nodiscard]] std::vector<CostTable> read_tables(std::string_view page);

/// A cell's number: "7", "-26", "+2"; an empty cell is 0. Nothing where it is none.
[[nodiscard]] std::optional<long> number_in(std::string_view cell);

/// How the gap between Linux and nano is made up, by the kinds of the page's tables.
struct Gap {
    long linux = 0;
    long nano = 0;
    std::map<std::string, long> by_kind;
};

/// What the page says of one port. Each is nothing where it has no such table.
struct PortByHand {
    std::optional<long> path;  ///< the rows of "### PORT: N"
    std::optional<Gap> gap;    ///< the rows of "### PORT: LINUX - NANO = GAP"
    std::optional<long> full;  ///< the first row of what frame=lazy leaves out
    std::optional<long> lazy;  ///< and what its rows come to
};

/// Reads what a page says of a port, and complains, a sentence each, where its sums are not what it
/// says that they are.
[[nodiscard]] PortByHand read_port(std::string_view page, std::string_view port,
                                   std::vector<std::string>& complaints);

}  // namespace kerntoll::bench
