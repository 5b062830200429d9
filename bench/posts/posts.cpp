// SPDX-License-Identifier: MIT
// The four posts on nano: the tables of docs/posts.md. Counts and paths are exact, so the page can
// be held to what this prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/posts/page.hpp"
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
    std::uint64_t entry_bytes = 0;   ///< the entry path in the image
    std::uint64_t vector_bytes = 0;  ///< of them, loongarch64's vectors
};

std::string target_of(std::string_view port, std::string_view compiler, std::string_view choices) {
    return fmt::format("nano:{},cc={}{}{}", port, compiler, choices.empty() ? "" : ",", choices);
}

/// The entry path in the image: all functions of C++ and all labels of the stub that text.ld puts
/// between its marks, each label reaching to the next.
std::uint64_t entry_bytes(const lab::path::Symbols& symbols) {
    constexpr std::string_view mark = "__kerntoll_entry_text_start";
    const auto* const first = symbols.find(mark);
    const auto* const behind = symbols.find("__kerntoll_entry_text_end");
    std::uint64_t bytes = 0;
    for (const lab::path::Function& function : symbols.functions()) {
        // The mark is a function of its own where what it marks had to be aligned.
        if (first && behind && function.start >= first->start && function.start < behind->start &&
            function.name != mark) {
            bytes += function.end - function.start;
        }
    }
    return bytes;
}

/// loongarch64's vectors alone, whose two functions lie at both ends of the call's.
std::uint64_t vector_bytes(const lab::path::Symbols& symbols) {
    const auto* const first = symbols.find("kerntoll_entry_vectors");
    const auto* const last = symbols.find("kerntoll_entry_return_to_user");
    const auto functions = symbols.functions();
    const auto behind = std::ranges::find_if(
        functions, [last](const auto& function) { return last && function.start > last->start; });
    return first == nullptr || behind == functions.end() ? 0 : behind->start - first->start;
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
    if (!path->symbols) {
        return lab::fail(lab::Fault::measurement,
                         fmt::format("{}: the image has no symbols, so the bytes of its entry path "
                                     "are unknown",
                                     text));
    }
    const std::uint64_t bytes = entry_bytes(*path->symbols);
    const std::uint64_t vectors = vector_bytes(*path->symbols);
    return Variant{*std::move(path), bytes, vectors};
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

/// What the page says in its text of loongarch64's vectors.
lab::Result<std::string> sentence_on_vectors() {
    const auto variant = record(target_of("loongarch64", "clang", ""));
    if (!variant) {
        return std::unexpected(variant.error());
    }
    return fmt::format("on loongarch64 {} of them are vectors", variant->vector_bytes);
}

lab::Result<Measured> measure(const std::string& page) {
    Measured all;
    const auto vectors = sentence_on_vectors();
    if (!vectors) {
        return std::unexpected(vectors.error());
    }
    if (!page.empty() && !page.contains(*vectors)) {
        all.complaints.push_back(fmt::format("the page does not say: {}", *vectors));
    }
    for (const Table& table : tables) {
        auto text = write_table(table);
        if (!text) {
            return std::unexpected(text.error());
        }
        all.tables.push_back({std::string(table.name), *std::move(text)});
    }
    return all;
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    return kerntoll::bench::run_page(
        argc, argv, "posts",
        "Reproduces the four posts on nano and prints the tables of docs/posts.md.",
        kerntoll::bench::measure);
}
