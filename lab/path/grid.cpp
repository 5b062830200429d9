// SPDX-License-Identifier: MIT
#include "lab/path/grid.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "lab/report/plain.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 12;  ///< columns that names keep in any case

/// The bytes of the first `count` characters of UTF-8 text.
std::size_t bytes_of(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const bool starts = (static_cast<std::uint8_t>(text[at]) & 0xc0U) != 0x80U;
        if (starts && count-- == 0) {
            break;
        }
    }
    return at;
}

}  // namespace

std::string shorten(std::string_view text, std::size_t columns) {
    const std::size_t taken = report::columns_of(text);
    if (taken <= columns) {
        return std::string(text);
    }
    if (columns == 0) {
        return {};
    }
    const std::size_t tail = (columns - 1) / 3;
    const std::size_t head = columns - 1 - tail;
    return std::string(text.substr(0, bytes_of(text, head))) + "…" +
           std::string(text.substr(bytes_of(text, taken - tail)));
}

void Grid::row(std::vector<std::string> cells) {
    for (std::string& cell : cells) {
        cell = report::harmless(cell);
    }
    rows_.push_back(std::move(cells));
}

std::vector<std::string> Grid::lines(std::size_t width) const {
    std::vector<std::size_t> widths(columns_.size(), 0);
    for (const auto& row : rows_) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], report::columns_of(row[column]));
        }
    }
    std::size_t& names = widths[names_];
    const std::size_t others =
        std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)) - names;
    if (names + others > width) {
        names = std::max(narrowest, width > others ? width - others : 0);
    }
    std::vector<std::string> lines;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string cell = shorten(row[column], widths[column]);
            const std::string padding(widths[column] - report::columns_of(cell), ' ');
            line += column == 0 ? "" : std::string(gap, ' ');
            line += columns_[column] == Align::left ? cell + padding : padding + cell;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace kerntoll::lab::path
