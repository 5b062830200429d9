// SPDX-License-Identifier: MIT
#include "lab/kernel/patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

bool is_patch(const std::string& text) {
    return text.starts_with("diff --git ") || text.contains("\ndiff --git ") ||
           ((text.starts_with("--- ") || text.contains("\n--- ")) && text.contains("\n+++ ") &&
            text.contains("\n@@ "));
}

/// As `git am` takes a letter: where every line ends in CR LF, a mailer has done that.
std::string without_carriage_returns(std::string text) {
    std::size_t lines = 0;
    std::size_t with_return = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        ++lines;
        with_return += at > 0 && text[at - 1] == '\r' ? 1U : 0U;
    }
    if (lines > 0 && lines == with_return) {
        std::erase(text, '\r');
    }
    return text;
}

Result<std::string> read(const fs::path& file) {
    std::error_code failed;
    std::string text;
    std::ifstream stream;
    if (fs::is_regular_file(file, failed)) {
        stream.open(file, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(stream), {});
    }
    if (failed || !stream.is_open() || !stream) {
        return fail(Fault::usage,
                    fmt::format("there is no patch {} that can be read", file.string()));
    }
    return without_carriage_returns(std::move(text));
}

/// A line of a series.
struct Entry {
    std::string name;
    std::string option;  ///< what stands behind the name, unless it is -p1 or a comment
};

std::vector<Entry> entries_in(const std::string& text) {
    std::vector<Entry> entries;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        Entry entry;
        if (!(words >> entry.name) || entry.name.starts_with('#')) {
            continue;
        }
        for (std::string word; words >> word && !word.starts_with('#');) {
            if (word != "-p1") {
                entry.option = word;
            }
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

/// Whether it lists patches: each line is a name, maybe with an option behind it, and one of them
/// is there or all end as patches do. A sentence with the name of a file in it is none.
bool is_series(const std::vector<Entry>& entries, const fs::path& folder) {
    const auto is_line = [](const Entry& entry) {
        return entry.option.empty() || entry.option.starts_with('-');
    };
    const auto is_there = [&](const Entry& entry) {
        std::error_code ignored;
        return fs::is_regular_file(folder / entry.name, ignored);
    };
    const auto is_name = [](const Entry& entry) {
        const std::string end = fs::path(entry.name).extension();
        return end == ".patch" || end == ".diff";
    };
    return !entries.empty() && std::ranges::all_of(entries, is_line) &&
           (std::ranges::any_of(entries, is_there) || std::ranges::all_of(entries, is_name));
}

std::unexpected<Error> no_patch(const fs::path& file) {
    return fail(Fault::usage,
                fmt::format("{} is no patch and no list of patches: it has no line 'diff --git' or "
                            "'--- ' with '+++ ', and names no files beside it",
                            file.string()));
}

}  // namespace

Result<std::vector<Patch>> read_patches(std::span<const std::string> files) {
    std::vector<Patch> patches;
    for (const std::string& file : files) {
        const fs::path path(file);
        auto text = read(path);
        if (!text) {
            return std::unexpected(text.error());
        }
        if (is_patch(*text)) {
            patches.push_back({path.filename().string(), *std::move(text)});
            continue;
        }
        const auto entries = entries_in(*text);
        if (!is_series(entries, path.parent_path())) {
            return no_patch(path);
        }
        for (const Entry& entry : entries) {
            const fs::path one = path.parent_path() / entry.name;
            if (!entry.option.empty()) {
                return fail(Fault::usage,
                            fmt::format("{} has '{}' behind {}: patches are put on with -p1 alone; "
                                        "'quilt refresh -p1' makes them so",
                                        file, entry.option, entry.name));
            }
            auto content = read(one);
            if (!content) {
                return fail(Fault::usage, fmt::format("{} names the patch {}, which cannot be read",
                                                      file, one.string()));
            }
            if (!is_patch(*content)) {
                return no_patch(one);
            }
            patches.push_back({one.filename().string(), *std::move(content)});
        }
    }
    return patches;
}

}  // namespace kerntoll::lab::kernel
