// SPDX-License-Identifier: MIT
// The four posts on nano: the tables of docs/posts.md. Counts and paths are exact, so the page can
// be held to what this prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/record.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

/// One table: a ladder of choices on some ports, each compared with the first.
struct Table {
    std::string_view name;
    std::vector<std::string_view> ports;
    std::vector<std::string_view> rungs;  ///< choices; empty: the defaults
};

const std::array tables{
    Table{"S0", {"arm64"}, {"common=outlined", "common=auto", ""}},
    Table{"S1", {"s390x"}, {"enter=outlined,exit=outlined", "enter=outlined", ""}},
    Table{"S2", {"riscv64", "x86_64", "loongarch64", "s390x"}, {"exit=outlined", ""}},
    Table{"S2, with its checks of the state",
          {"riscv64", "x86_64", "loongarch64", "s390x"},
          {"exit=outlined,debug=on", "debug=on"}},
    Table{"S3", {"arm64", "riscv64"}, {"vector=chain", "vector=table", "vector=likely"}},
    Table{"S3, with landing pads and signed return addresses",
          {"arm64"},
          {"vector=chain,branch_protection=on", "vector=table,branch_protection=on",
           "vector=likely,branch_protection=on"}},
};

/// What is kept of one variant.
struct Variant {
    lab::path::RecordedPath path;
    std::uint64_t entry_bytes = 0;  ///< code of the entry path in the image
};

std::string target_of(std::string_view port, std::string_view compiler, std::string_view choices) {
    return fmt::format("nano:{},cc={}{}{}", port, compiler, choices.empty() ? "" : ",", choices);
}

/// The code of the entry path in the image: its functions and the stub's.
std::uint64_t entry_bytes(const lab::path::Symbols& symbols) {
    std::uint64_t bytes = 0;
    for (const lab::path::Function& function : symbols.functions()) {
        const std::string_view name = function.name;
        if (name.starts_with("kerntoll::entry::") || name.starts_with("kerntoll_entry_")) {
            bytes += function.end - function.start;
        }
    }
    return bytes;
}

lab::Result<Variant> record(const std::string& text) {
    auto target = lab::open_target(text);
    if (!target) {
        return std::unexpected(target.error());
    }
    auto path = lab::path::record_path(**target, {});
    if (!path) {
        return std::unexpected(path.error());
    }
    const std::uint64_t bytes = path->symbols ? entry_bytes(*path->symbols) : 0;
    return Variant{*std::move(path), bytes};
}

/// Functions that one path runs through and the other does not.
std::vector<std::string> missing(const lab::path::Anatomy& from, const lab::path::Anatomy& in) {
    std::vector<std::string> names;
    for (const auto& function : from.functions) {
        const bool there = std::ranges::any_of(
            in.functions, [&function](const auto& other) { return other.name == function.name; });
        if (!there) {
            names.push_back(fmt::format("`{}`", function.name));
        }
    }
    return names;
}

std::string row(std::string_view port, std::string_view compiler, std::string_view choices,
                const Variant& variant, const Variant& first) {
    const auto& total = variant.path.traced.anatomy.total;
    const auto& base = first.path.traced.anatomy.total;
    const bool is_first = &variant == &first;
    std::vector<std::string> functions;
    for (const auto& name : missing(first.path.traced.anatomy, variant.path.traced.anatomy)) {
        functions.push_back("gone: " + name);
    }
    for (const auto& name : missing(variant.path.traced.anatomy, first.path.traced.anatomy)) {
        functions.push_back("new: " + name);
    }
    std::string change = "-";
    if (!is_first) {
        const auto by = lab::path::difference_of(base.instructions, total.instructions);
        change =
            fmt::format("{} ({:+.1f} %)", lab::path::signed_text(by),
                        100.0 * static_cast<double>(by) / static_cast<double>(base.instructions));
    }
    return fmt::format("| {} | {} | `{}` | {} | {} | {} | {} | {} | {} | {} |\n", port, compiler,
                       choices.empty() ? "defaults" : choices, total.instructions, change,
                       total.calls, total.taken, total.indirect, variant.entry_bytes,
                       is_first            ? "-"
                       : functions.empty() ? "the same"
                                           : fmt::format("{}", fmt::join(functions, ", ")));
}

lab::Result<std::string> write_table(const Table& table) {
    std::string text =
        "| port | compiler | choices | instructions of a getpid | against the first | calls | "
        "taken | indirect | bytes of entry code | functions on the path |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n";
    for (const std::string_view port : table.ports) {
        for (const std::string_view compiler : {"gcc", "clang"}) {
            if (port == "loongarch64" && compiler == "gcc") {
                continue;  // Debian has none
            }
            std::vector<Variant> rungs;
            for (const std::string_view choices : table.rungs) {
                auto variant = record(target_of(port, compiler, choices));
                if (!variant) {
                    return std::unexpected(variant.error());
                }
                rungs.push_back(*std::move(variant));
            }
            for (std::size_t i = 0; i < rungs.size(); ++i) {
                text += row(port, compiler, table.rungs[i], rungs[i], rungs.front());
            }
        }
    }
    return text;
}

std::string begin_mark(std::string_view name) {
    return fmt::format("<!-- begin {} -->\n", name);
}
std::string end_mark(std::string_view name) {
    return fmt::format("<!-- end {} -->\n", name);
}

/// The page with the table between its marks; nothing where they are missing.
std::optional<std::string> put_in(const std::string& page, std::string_view name,
                                  const std::string& table) {
    const auto begin = page.find(begin_mark(name));
    const auto end = page.find(end_mark(name));
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        return std::nullopt;
    }
    return page.substr(0, begin + begin_mark(name).size()) + table + page.substr(end);
}

std::string whole_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Prints why nothing can be said. The exit code.
int refuse(std::string_view why) {
    fmt::print(stderr, "posts: {}\n", why);
    return 2;
}

enum class Mode { print, write, check };

int run(const std::string& path, Mode mode) {
    const std::string before = whole_file(path);
    std::string page = before;
    for (const Table& table : tables) {
        const auto text = write_table(table);
        if (!text) {
            return refuse(text.error().message);
        }
        if (mode == Mode::print) {
            fmt::print("{}\n\n{}\n", table.name, *text);
            continue;
        }
        auto with = put_in(page, table.name, *text);
        if (!with) {
            return refuse(fmt::format(
                "{} has no lines <!-- begin {} --> and <!-- end {} --> to put the table "
                "between",
                path, table.name, table.name));
        }
        page = *std::move(with);
    }
    if (mode == Mode::write) {
        std::ofstream(path, std::ios::binary) << page;
    }
    if (mode == Mode::check && page != before) {
        fmt::print("{} does not say what is measured; 'posts --write {}' mends it.\n", path, path);
        return 1;
    }
    return 0;
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    CLI::App app{"Reproduces the four posts on nano and prints the tables of docs/posts.md."};
    std::string write;
    std::string check;
    auto* writing = app.add_option("--write", write, "put the tables into this page");
    app.add_option("--check", check, "exit code 1 where this page has other figures")
        ->excludes(writing);
    CLI11_PARSE(app, argc, argv);
    using kerntoll::bench::Mode;
    const std::string& path = write.empty() ? check : write;
    return kerntoll::bench::run(path, !write.empty()   ? Mode::write
                                      : !check.empty() ? Mode::check
                                                       : Mode::print);
}
