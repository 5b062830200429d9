// SPDX-License-Identifier: MIT
#include "lab/kernel/rebuilt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "lab/kernel/content.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".cmd";

bool names(std::string_view record, std::string_view path) {
    for (auto at = record.find(path); at != std::string_view::npos;
         at = record.find(path, at + 1)) {
        const std::size_t end = at + path.size();
        if (end == record.size() || record[end] == ' ' || record[end] == '\n') {
            return true;
        }
    }
    return false;
}

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

/// Whether two files have the same time; a file that is not there has none.
bool same_time(const fs::path& one, const fs::path& other) {
    std::error_code missing;
    const auto time = fs::last_write_time(one, missing);
    const auto other_time = missing ? time : fs::last_write_time(other, missing);
    return !missing && time == other_time;
}

}  // namespace

Result<Rebuilt> check_rebuilt(const Relinked& trees, const fs::path& source,
                              std::span<const std::string> changed) {
    const auto& [objects, base, image] = trees;
    Rebuilt rebuilt;
    std::error_code failed;
    fs::recursive_directory_iterator entries(objects, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        const std::string name = entries->path().filename().string();
        if (!name.starts_with('.') || !name.ends_with(ending) || !entries->is_regular_file()) {
            continue;
        }
        const std::string record = contents(entries->path());
        const bool of_it = std::ranges::any_of(changed, [&](const std::string& file) {
            return names(record, (source / file).string());
        });
        if (!of_it) {
            continue;
        }
        const fs::path target = target_of(entries->path()).lexically_relative(objects);
        ++rebuilt.objects;
        if (same_time(objects / target, base / target)) {
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
