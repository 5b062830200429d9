// SPDX-License-Identifier: MIT
#include "bench/posts/page.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace kerntoll::bench {
namespace {

std::string whole_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Prints why nothing can be said. The exit code.
int refuse(std::string_view program, std::string_view why) {
    fmt::print(stderr, "{}: {}\n", program, why);
    return 2;
}

}  // namespace

lab::Result<std::string> put_tables(std::string page, const std::vector<PageTable>& tables) {
    for (const PageTable& table : tables) {
        const std::string begin_mark = fmt::format("<!-- begin {} -->\n", table.name);
        const std::string end_mark = fmt::format("<!-- end {} -->\n", table.name);
        const auto begin = page.find(begin_mark);
        const auto end = page.find(end_mark);
        if (begin == std::string::npos || end == std::string::npos || end < begin) {
            return lab::fail(lab::Fault::usage,
                             fmt::format("the page has no lines <!-- begin {0} --> and <!-- end "
                                         "{0} --> to put the table between",
                                         table.name));
        }
        const auto inside = begin + begin_mark.size();
        page.replace(inside, end - inside, table.text);
    }
    return page;
}

int run_page(int argc, char** argv, std::string_view program, std::string_view what,
             const Measure& measure) {
    CLI::App app{std::string(what)};
    std::string write;
    std::string check;
    auto* writing = app.add_option("--write", write, "put the tables into this page");
    app.add_option("--check", check, "exit code 1 where this page has other figures")
        ->excludes(writing);
    CLI11_PARSE(app, argc, argv);
    const std::string& path = write.empty() ? check : write;
    const std::string before = whole_file(path);
    const auto measured = measure(before);
    if (!measured) {
        return refuse(program, measured.error().message);
    }
    for (const std::string& complaint : measured->complaints) {
        fmt::print("{}\n", complaint);
    }
    const int verdict = measured->complaints.empty() ? 0 : 1;
    if (path.empty()) {
        for (const PageTable& table : measured->tables) {
            fmt::print("{}\n\n{}\n", table.name, table.text);
        }
        return verdict;
    }
    const auto page = put_tables(before, measured->tables);
    if (!page) {
        return refuse(program, fmt::format("{}: {}", path, page.error().message));
    }
    if (!write.empty()) {
        std::ofstream(path, std::ios::binary) << *page;
        return verdict;
    }
    if (*page != before) {
        fmt::print("{} does not say what is measured; '{} --write {}' mends it.\n", path, program,
                   path);
        return 1;
    }
    return verdict;
}

}  // namespace kerntoll::bench
