// SPDX-License-Identifier: MIT
#include "lab/path/explain_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerntoll::lab::path {
namespace {

/// Functions of which each has a row, whatever became of it.
constexpr std::size_t most_functions = 20;

using Cells = std::vector<std::string>;

/// In the place of a number that is not known.
const std::string not_told = "-";

std::string number(std::uint64_t value) {
    return fmt::format("{}", value);
}

/// The quantities that the whole path has any of.
std::vector<Quantity> present(const Counts& total) {
    std::vector<Quantity> kept;
    for (const Quantity& quantity : quantities()) {
        if (total.*quantity.count > 0) {
            kept.push_back(quantity);
        }
    }
    return kept;
}

Cells counts_cells(std::string name, const std::vector<Quantity>& columns, const Counts& counts) {
    Cells cells{std::move(name)};
    for (const Quantity& quantity : columns) {
        cells.push_back(number(counts.*quantity.count));
    }
    return cells;
}

/// A grid whose rows are names with counts, and its header.
Grid counts_table(std::string names, const std::vector<Quantity>& columns) {
    std::vector<Align> aligned(columns.size() + 1, Align::right);
    aligned.front() = Align::left;
    Grid grid(std::move(aligned), 0);
    Cells header{std::move(names)};
    for (const Quantity& quantity : columns) {
        header.emplace_back(quantity.column);
    }
    grid.row(std::move(header));
    return grid;
}

void add_frames(Grid& grid, const Anatomy& anatomy, const std::vector<Frame>& frames,
                std::size_t depth) {
    for (const Frame& frame : frames) {
        const bool known = frame.first_step < anatomy.steps.size();
        grid.row({number(frame.total), number(frame.own),
                  known ? std::string(name(anatomy.steps[frame.first_step].phase)) : "",
                  std::string(2 * depth, ' ') + frame.name + (frame.inlined ? " (inlined)" : "")});
        add_frames(grid, anatomy, frame.children, depth + 1);
    }
}

Cells change_cells(std::string name, std::uint64_t before, std::uint64_t after) {
    return {std::move(name), number(before), number(after),
            signed_text(difference_of(before, after))};
}

/// "46 → 52", "46 → 0" where B's image has no such function, "46 → ?" where that is not known.
std::string bytes_text(const FunctionDifference& function) {
    if (function.base_size && function.change_size) {
        return change_text(*function.base_size, *function.change_size);
    }
    const auto side = [](const std::optional<std::uint64_t>& size) {
        return size ? number(*size) : "?";
    };
    return side(function.base_size) + " → " + side(function.change_size);
}

Grid change_table(std::string names) {
    Grid grid({Align::left, Align::right, Align::right, Align::right}, 0);
    grid.row({std::move(names), "A", "B", "B-A"});
    return grid;
}

}  // namespace

Grid phases_grid(const Anatomy& anatomy) {
    const auto columns = present(anatomy.total);
    Grid grid = counts_table("phase", columns);
    for (std::size_t at = 0; at < phase_count; ++at) {
        const auto phase = static_cast<Phase>(at);
        if (is_told(anatomy, phase)) {
            grid.row(counts_cells(std::string(name(phase)), columns, anatomy.phases[at]));
        } else if (phase != Phase::inside) {
            Cells cells(columns.size() + 1, not_told);
            cells.front() = name(phase);
            grid.row(std::move(cells));
        }
    }
    grid.row(counts_cells("total", columns, anatomy.total));
    return grid;
}

Grid functions_grid(const Anatomy& anatomy) {
    auto columns = present(anatomy.total);
    std::erase_if(columns, [](const Quantity& quantity) {
        return quantity.count == &Counts::returns || quantity.count == &Counts::branches ||
               quantity.count == &Counts::data_lines;
    });
    Grid grid = counts_table("function", columns);
    for (const FunctionPart& function : anatomy.functions) {
        grid.row(counts_cells(function.name, columns, function.counts));
    }
    return grid;
}

Grid tree_grid(const Anatomy& anatomy) {
    Grid grid({Align::right, Align::right, Align::left, Align::left}, 3);
    grid.row({"instr", "own", "phase", "function"});
    add_frames(grid, anatomy, anatomy.tree, 0);
    return grid;
}

Grid functions_grid(const Explanation& explanation) {
    const auto& functions = explanation.difference.functions;
    const bool sized = std::ranges::any_of(functions, [](const FunctionDifference& function) {
        return function.base_size || function.change_size;
    });
    std::vector<Align> columns{Align::left, Align::right, Align::right, Align::right, Align::left};
    Cells header{"function", "A", "B", "B-A", "fate"};
    if (sized) {
        columns.push_back(Align::left);
        header.emplace_back("bytes in image");
    }
    Grid grid(std::move(columns), 0);
    grid.row(std::move(header));
    const auto add = [&](std::string what, std::uint64_t before, std::uint64_t after,
                         std::string_view fate, std::string bytes) {
        Cells cells = change_cells(std::move(what), before, after);
        cells.emplace_back(fate);
        if (sized) {
            cells.push_back(std::move(bytes));
        }
        grid.row(std::move(cells));
    };
    std::uint64_t summed_up = 0;
    std::uint64_t instructions = 0;
    for (const FunctionDifference& function : functions) {
        if (functions.size() > most_functions && function.fate == Fate::unchanged) {
            ++summed_up;
            instructions += function.base.instructions;
        } else {
            add(function.name, function.base.instructions, function.change.instructions,
                name(function.fate), bytes_text(function));
        }
    }
    if (summed_up > 0) {
        add(plural(summed_up, "function"), instructions, instructions, name(Fate::unchanged), "");
    }
    add("total", explanation.base.anatomy.total.instructions,
        explanation.change.anatomy.total.instructions, "", "");
    return grid;
}

Grid phases_grid(const Explanation& explanation) {
    Grid grid = change_table("phase");
    const Anatomy& base = explanation.base.anatomy;
    const Anatomy& change = explanation.change.anatomy;
    for (std::size_t at = 0; at < phase_count; ++at) {
        const auto phase = static_cast<Phase>(at);
        const auto side = [&](const Anatomy& anatomy) {
            return is_told(anatomy, phase) ? number(counts_of(anatomy, phase).instructions)
                                           : not_told;
        };
        if (is_told(base, phase) && is_told(change, phase)) {
            grid.row(change_cells(std::string(name(phase)), counts_of(base, phase).instructions,
                                  counts_of(change, phase).instructions));
        } else if (phase != Phase::inside || is_told(base, phase) || is_told(change, phase)) {
            grid.row({std::string(name(phase)), side(base), side(change), not_told});
        }
    }
    return grid;
}

Grid counts_grid(const Explanation& explanation) {
    const Counts& base = explanation.base.anatomy.total;
    const Counts& change = explanation.change.anatomy.total;
    Grid grid = change_table("counted");
    const auto add = [&](std::string what, std::uint64_t before, std::uint64_t after) {
        if (before != after) {
            grid.row(change_cells(std::move(what), before, after));
        }
    };
    for (const Quantity& quantity : quantities()) {
        add(std::string(quantity.name), base.*quantity.count, change.*quantity.count);
    }
    if (explanation.base.anatomy.stack_bytes && explanation.change.anatomy.stack_bytes) {
        add("stack bytes", *explanation.base.anatomy.stack_bytes,
            *explanation.change.anatomy.stack_bytes);
    }
    for (const std::string& each : specials_of(base, change)) {
        add(each, special(base, each), special(change, each));
    }
    return grid;
}

}  // namespace kerntoll::lab::path
