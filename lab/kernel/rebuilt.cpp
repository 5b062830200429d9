// SPDX-License-Identifier: MIT
#include "lab/kernel/rebuilt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include "lab/kernel/content.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".cmd";

std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The file that a record is of: ".fork.o.cmd" is of "fork.o" beside it.
fs::path target_of(const fs::path& record) {
    std::string name = record.filename().string();
    name = name.substr(1, name.size() - 1 - ending.size());
    return record.parent_path() / name;
}

/// A file's time; none where it is not there.
std::optional<fs::file_time_type> time_of(const fs::path& file) {
    std::error_code missing;
    const auto time = fs::last_write_time(file, missing);
    return missing ? std::nullopt : std::optional(time);
}

/// Whether two files are there and have the same time.
bool same_time(const fs::path& one, const fs::path& other) {
    const auto time = time_of(one);
    return time && time == time_of(other);
}

/// Patched files by their names in Kbuild's records, with their times; none of what a patch
/// deletes.
using Changed = std::unordered_map<std::string, std::optional<fs::file_time_type>>;

/// Of the patched files that a record names.
struct Named {
    bool any = false;
    std::optional<fs::file_time_type> newest;
};

Named named_in(const std::string& record, const Changed& changed) {
    Named named;
    std::istringstream words(record);
    for (std::string word; words >> word;) {
        if (const auto found = changed.find(word); found != changed.end()) {
            named.any = true;
            named.newest = std::max(named.newest, found->second);
        }
    }
    return named;
}

}  // namespace

Result<Rebuilt> check_rebuilt(const Relinked& trees, const fs::path& source,
                              std::span<const std::string> changed) {
    const auto& [objects, base, image] = trees;
    Changed files;
    for (const std::string& file : changed) {
        files.emplace((source / file).string(), time_of(source / file));
    }
    Rebuilt rebuilt;
    std::error_code failed;
    fs::recursive_directory_iterator entries(objects, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        const std::string name = entries->path().filename().string();
        if (!name.starts_with('.') || !name.ends_with(ending) || !entries->is_regular_file()) {
            continue;
        }
        const Named named = named_in(contents(entries->path()), files);
        if (!named.any) {
            continue;
        }
        const fs::path target = target_of(entries->path()).lexically_relative(objects);
        if (!same_time(objects / target, base / target)) {
            ++rebuilt.objects;
        } else if (named.newest && time_of(objects / target) >= named.newest) {
            // make(1) had no reason to make it anew. Where it had one and did not, the object is no
            // part of the kernel any more: what it was made of is gone, or no Makefile names it.
            ++rebuilt.objects;
            rebuilt.stale.push_back(target.string());
        }
    }
    if (failed) {
        return std::unexpected(file_error("cannot read", objects, failed));
    }
    if (rebuilt.objects > 0 && same_time(objects / image, base / image)) {
        rebuilt.stale.push_back(image.string());
    }
    std::ranges::sort(rebuilt.stale);
    return rebuilt;
}

}  // namespace kerntoll::lab::kernel
