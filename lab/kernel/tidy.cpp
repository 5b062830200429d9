// SPDX-License-Identifier: MIT
#include "lab/kernel/tidy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/kernel/cached.hpp"
#include "lab/kernel/source.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;
using Time = fs::file_time_type;

/// What a killed program has left is not looked at before: another one may be about to finish it.
constexpr std::chrono::hours left_over{24};

/// How names end of what is not finished or not wholly gone.
constexpr std::string_view part = ".part";

/// A folder, and when it was used last.
struct Entry {
    fs::path path;
    Time used;
};

/// The folders in `in`, the one used last first. `mark` is the file in each that has the time; a
/// folder without it is passed over.
std::vector<Entry> by_use(const fs::path& in, const char* mark) {
    std::vector<Entry> all;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(in, failed)) {
        std::error_code missing;
        const Time used = fs::last_write_time(entry.path() / mark, missing);
        if (!missing && entry.path().extension() != part) {
            all.push_back({entry.path(), used});
        }
    }
    std::ranges::sort(all, std::greater(), &Entry::used);
    return all;
}

/// A lock that nobody else has, or nothing.
Fd take(const fs::path& file) {
    Fd held(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (held && flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
        held.reset();
    }
    return held;
}

/// Under another name first: what is half removed must not be found by its own.
bool take_away(const fs::path& folder) {
    const fs::path going = fmt::format("{}.{}{}", folder.string(), getpid(), part);
    std::error_code failed;
    fs::rename(folder, going, failed);
    if (!failed) {
        fs::remove_all(going, failed);
    }
    return !failed;
}

bool is_older(const Time& used, std::chrono::hours than) {
    return Time::clock::now() - used > than;
}

void tidy_copies(const fs::path& work, const CacheLimits& limits, Tidied& tidied) {
    std::size_t kept = 0;
    for (const Entry& copy : by_use(work, "lock")) {
        const Fd held = take(copy.path / "lock");
        if (!held) {
            ++kept;
            continue;
        }
        if (kept >= limits.copies || is_older(copy.used, limits.unused)) {
            tidied.copies += take_away(copy.path) ? 1U : 0U;
            continue;
        }
        ++kept;
        const auto bases = by_use(copy.path / "objects", complete);
        for (std::size_t index = limits.bases; index < bases.size(); ++index) {
            tidied.bases += take_away(bases[index].path) ? 1U : 0U;
        }
    }
}

std::uint64_t bytes_in(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code failed;
    for (const auto& file : fs::directory_iterator(folder, failed)) {
        const std::uintmax_t size = file.file_size(failed);
        bytes += failed ? 0 : size;
    }
    return bytes;
}

void tidy_images(const fs::path& images, const CacheLimits& limits, Tidied& tidied) {
    std::uint64_t bytes = 0;
    for (const Entry& kernel : by_use(images, facts_file)) {
        bytes += bytes_in(kernel.path);
        if (bytes <= limits.image_bytes) {
            continue;
        }
        if (const Fd held = take(kernel.path / facts_file); held && take_away(kernel.path)) {
            ++tidied.kernels;
        }
    }
}

/// Files and folders that have not been written for so long.
void forget(const fs::path& in, std::string_view ending, std::chrono::hours after) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(in, failed)) {
        std::error_code ignored;
        const Time written = fs::last_write_time(entry.path(), ignored);
        if (!ignored && entry.path().string().ends_with(ending) && is_older(written, after)) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

}  // namespace

std::string Tidied::text() const {
    std::vector<std::string> parts;
    const auto add = [&parts](std::size_t number, std::string_view one, std::string_view many) {
        if (number > 0) {
            parts.push_back(fmt::format("{} {}", number, number == 1 ? one : many));
        }
    };
    add(copies, "copy of a tree", "copies of trees");
    add(bases, "tree of objects", "trees of objects");
    add(kernels, "kernel", "kernels");
    return fmt::format("{}", fmt::join(parts, " and "));
}

Tidied tidy_cache(const CacheLimits& limits) {
    const fs::path cache = kernels_folder();
    Tidied tidied;
    tidy_copies(cache / "work", limits, tidied);
    tidy_images(cache / "images", limits, tidied);
    for (const char* folder : {"work", "images"}) {
        forget(cache / folder, part, left_over);
    }
    for (const char* folder : {"logs", "trees"}) {
        forget(cache / folder, "", limits.unused);
    }
    return tidied;
}

}  // namespace kerntoll::lab::kernel
