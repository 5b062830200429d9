// SPDX-License-Identifier: MIT
// Cells in columns, for a terminal and for a commit message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerntoll::lab::path {

enum class Align { left, right };

/// Leaves out the middle of a text that takes more than `columns`: "syscall_exi…er_mode". The text
/// must be harmless (lab/report/plain.hpp).
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns);

/// Rows of cells as lines of at most `width` columns: the cells of one column, that of the names,
/// are shortened where the rows would be wider. Makes the cells harmless.
class Grid {
public:
    Grid(std::vector<Align> columns, std::size_t names)
        : columns_(std::move(columns)), names_(names) {}
    /// As many cells as there are columns.
    void row(std::vector<std::string> cells);
    /// Whether there is more than a header.
    [[nodiscard]] bool has_rows() const { return rows_.size() > 1; }
    [[nodiscard]] std::vector<std::string> lines(std::size_t width) const;

private:
    std::vector<Align> columns_;
    std::size_t names_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace kerntoll::lab::path
