// SPDX-License-Identifier: MIT
#include "bench/posts/cost_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kerntoll::bench {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t";
    const auto begin = text.find_first_not_of(space);
    if (begin == text.npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells;
    line.remove_prefix(1);  // the first bar
    while (!line.empty()) {
        const auto bar = line.find('|');
        cells.emplace_back(trimmed(line.substr(0, bar)));
        line = bar == line.npos ? std::string_view() : line.substr(bar + 1);
    }
    return cells;
}

/// The line under the names of the columns.
bool is_rule(std::string_view line) {
    return line.find_first_not_of("|-: ") == line.npos;
}

/// The numbers of a heading, in their order: "x86_64: 203 - 102 = 101".
std::vector<long> numbers_behind(std::string_view heading, std::string_view port) {
    std::vector<long> numbers;
    heading.remove_prefix(std::min(heading.size(), port.size() + 1));
    while (!heading.empty()) {
        heading = trimmed(heading);
        const auto space = heading.find(' ');
        if (const auto number = number_in(heading.substr(0, space)); number) {
            numbers.push_back(*number);
        }
        heading = space == heading.npos ? std::string_view() : heading.substr(space + 1);
    }
    return numbers;
}

/// The sum of a column of a table, from its second row up to the one called `last`.
long sum_of(const CostTable& table, std::size_t column, std::string_view last = {}) {
    long sum = 0;
    for (std::size_t row = 1; row < table.rows.size(); ++row) {
        const auto& cells = table.rows[row];
        if (!last.empty() && cells.front() == last) {
            break;
        }
        sum += column < cells.size() ? number_in(cells[column]).value_or(0) : 0;
    }
    return sum;
}

void expect(std::vector<std::string>& complaints, std::string_view where, long says, long is) {
    if (says != is) {
        complaints.push_back(
            fmt::format("{}: the page says {}, and its rows come to {}", where, says, is));
    }
}

Gap read_gap(const CostTable& table, const std::vector<long>& says,
             std::vector<std::string>& complaints) {
    const std::string where = fmt::format("'{}'", table.heading);
    Gap gap{.linux = sum_of(table, 1, "sum"), .nano = sum_of(table, 2, "sum"), .by_kind = {}};
    expect(complaints, where + ", Linux", says[0], gap.linux);
    expect(complaints, where + ", nano", says[1], gap.nano);
    expect(complaints, where + ", gap", says[2], gap.linux - gap.nano);
    for (std::size_t row = 1; row < table.rows.size(); ++row) {
        const auto& cells = table.rows[row];
        if (cells.size() < 5) {
            continue;
        }
        const long linux = number_in(cells[1]).value_or(0);
        const long nano = number_in(cells[2]).value_or(0);
        expect(complaints, fmt::format("{}, '{}'", where, cells[0]),
               number_in(cells[3]).value_or(0), linux - nano);
        if (cells[0] != "sum") {
            gap.by_kind[cells[4]] += linux - nano;
        }
    }
    return gap;
}

}  // namespace

std::vector<CostTable> read_tables(std::string_view page) {
    std::vector<CostTable> tables;
    std::string heading;
    bool inside = false;
    while (!page.empty()) {
        const auto end = page.find('\n');
        const std::string_view line = page.substr(0, end);
        page = end == page.npos ? std::string_view() : page.substr(end + 1);
        if (line.starts_with('#')) {
            heading = trimmed(line.substr(line.find_first_not_of('#')));
        }
        if (!line.starts_with('|')) {
            inside = false;
            continue;
        }
        if (!inside) {
            tables.push_back({heading, {}});
            inside = true;
        }
        if (!is_rule(line)) {
            tables.back().rows.push_back(cells_of(line));
        }
    }
    return tables;
}

std::optional<long> number_in(std::string_view cell) {
    if (cell.empty()) {
        return 0;
    }
    if (cell.starts_with('+')) {
        cell.remove_prefix(1);
    }
    long number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    return error == std::errc{} && end == cell.data() + cell.size() ? std::optional(number)
                                                                    : std::nullopt;
}

PortByHand read_port(std::string_view page, std::string_view port,
                     std::vector<std::string>& complaints) {
    PortByHand found;
    for (const CostTable& table : read_tables(page)) {
        if (table.rows.empty()) {
            continue;
        }
        const auto& columns = table.rows.front();
        if (table.heading.starts_with(fmt::format("{}:", port))) {
            const auto says = numbers_behind(table.heading, port);
            if (says.size() == 1 && columns.front() == "n") {
                found.path = sum_of(table, 0);
                expect(complaints, fmt::format("'{}'", table.heading), says[0], *found.path);
            } else if (says.size() == 3 && columns.size() == 5) {
                found.gap = read_gap(table, says, complaints);
            }
        }
        const auto column = std::ranges::find(columns, port) - columns.begin();
        if (table.heading == "What `frame=lazy` leaves out" && column < std::ssize(columns)) {
            const auto at = static_cast<std::size_t>(column);
            constexpr std::string_view last = "`frame=lazy`";
            found.full = number_in(table.rows[1][at]);
            found.lazy = sum_of(table, at, last);
            expect(complaints, fmt::format("'{}', {}", table.heading, port),
                   number_in(table.rows.back()[at]).value_or(0), *found.lazy);
        }
    }
    return found;
}

}  // namespace kerntoll::bench
