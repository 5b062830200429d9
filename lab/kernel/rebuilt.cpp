// SPDX-License-Identifier: MIT
#include "lab/kernel/rebuilt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <unordered_map>

#include "lab/kernel/content.hpp"
#include "lab/kernel/source.hpp"
#include "lab/report/path_words.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".cmd";

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

/// Patched files by their names, with their times; none of what a patch deletes.
using Changed = std::unordered_map<std::string, std::optional<fs::file_time_type>>;

/// Of the patched files that a record names.
struct Named {
    bool any = false;
    std::optional<fs::file_time_type> newest;
};

/// A name without detours: compilers write "lib/../scripts/fdt.h" where a file says
/// #include "../scripts/fdt.h". Records are relative to the folder of the objects.
std::string plain(std::string_view word, const fs::path& objects) {
    return (objects / word).lexically_normal().string();
}

Named named_in(const std::string& record, const fs::path& objects, const Changed& changed) {
    Named named;
    std::istringstream words(record);
    for (std::string word; words >> word;) {
        if (const auto found = changed.find(plain(word, objects)); found != changed.end()) {
            named.any = true;
            named.newest = std::max(named.newest, found->second);
        }
    }
    return named;
}

/// Calls for every record in an object tree.
template <typename Visit>
Result<void> each_record(const fs::path& objects, Visit visit) {
    std::error_code failed;
    fs::recursive_directory_iterator entries(objects, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        const std::string name = entries->path().filename().string();
        if (name.starts_with('.') && name.ends_with(ending) && entries->is_regular_file()) {
            visit(entries->path());
        }
    }
    return failed ? Result<void>(std::unexpected(file_error("cannot read", objects, failed)))
                  : Result<void>{};
}

bool names_one_of(const std::string& record, const std::set<std::string>& last_parts) {
    std::istringstream words(record);
    for (std::string word; words >> word;) {
        if (last_parts.contains(word.substr(word.rfind('/') + 1))) {  // npos + 1 is 0
            return true;
        }
    }
    return false;
}

}  // namespace

Result<void> remove_shadowed(const fs::path& objects, std::span<const std::string> added) {
    std::set<std::string> last_parts;
    for (const std::string& file : added) {
        last_parts.insert(fs::path(file).filename().string());
    }
    if (last_parts.empty()) {
        return {};
    }
    std::error_code failed;
    auto seen = each_record(objects, [&](const fs::path& record) {
        if (!failed && names_one_of(contents(record), last_parts)) {
            fs::remove(target_of(record), failed);
        }
    });
    return failed ? Result<void>(std::unexpected(file_error("cannot remove in", objects, failed)))
                  : seen;
}

Result<bool> is_ahead(const fs::path& objects, const fs::path& than) {
    const auto limit = time_of(than);
    std::error_code failed;
    fs::recursive_directory_iterator entries(objects, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        if (entries->is_regular_file() && entries->path() != than &&
            entries->path().filename() != complete && time_of(entries->path()) >= limit) {
            return true;
        }
    }
    return failed ? Result<bool>(std::unexpected(file_error("cannot read", objects, failed)))
                  : false;
}

Result<Rebuilt> check_rebuilt(const Relinked& trees, const fs::path& source,
                              std::span<const std::string> changed) {
    const auto& [objects, base, image] = trees;
    Changed files;
    for (const std::string& file : changed) {
        files.emplace((source / file).lexically_normal().string(), time_of(source / file));
    }
    Rebuilt rebuilt;
    auto seen = each_record(objects, [&](const fs::path& record) {
        const Named named = named_in(contents(record), objects, files);
        if (!named.any) {
            return;
        }
        const fs::path target = target_of(record).lexically_relative(objects);
        if (!same_time(objects / target, base / target)) {
            ++rebuilt.objects;
        } else if (named.newest && time_of(objects / target) >= named.newest) {
            // make(1) had no reason to make it anew. Where it had one and did not, the object is no
            // part of the kernel any more: what it was made of is gone, or no Makefile names it.
            ++rebuilt.objects;
            rebuilt.stale.push_back(target.string());
        }
    });
    if (!seen) {
        return std::unexpected(seen.error());
    }
    if (rebuilt.objects > 0 && same_time(objects / image, base / image)) {
        rebuilt.stale.push_back(image.string());
    }
    std::ranges::sort(rebuilt.stale);
    return rebuilt;
}

std::string proof(const Rebuilt& rebuilt, bool same_image) {
    if (rebuilt.objects == 0) {
        return same_image ? "the build's records name none of the files that the patch changes, "
                            "and the image is bit for bit the base's"
                          : "the build's records name none of the files that the patch changes, "
                            "and the image is not the base's";
    }
    return same_image ? fmt::format(
                            "the patch was compiled ({} made anew), and the image is bit "
                            "for bit the base's: it changes no code of this configuration",
                            report::plural(rebuilt.objects, "object"))
                      : "";
}

}  // namespace kerntoll::lab::kernel
