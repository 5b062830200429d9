// SPDX-License-Identifier: MIT
#include "lab/kernel/patches.hpp"

#include <fmt/format.h>

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
    return text;
}

/// The names in a series. quilt's lines may have options behind the name, and comments.
std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        if (std::string name; words >> name && !name.starts_with('#')) {
            names.push_back(name);
        }
    }
    return names;
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
        const auto names = names_in(*text);
        if (names.empty() || !fs::exists(path.parent_path() / names.front())) {
            return no_patch(path);
        }
        for (const std::string& name : names) {
            const fs::path one = path.parent_path() / name;
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
