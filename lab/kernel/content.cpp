// SPDX-License-Identifier: MIT
#include "lab/kernel/content.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "lab/base/fd.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/kernel/source.hpp"
#include "lab/target/digest.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

/// Whether a file is what a build inside the tree made, by its name relative to the tree.
bool is_product(std::string_view name) {
    const std::string_view base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
    constexpr std::array<std::string_view, 7> endings{".o",   ".a",     ".ko",   ".cmd",
                                                      ".mod", ".order", ".mod.c"};
    if (std::ranges::any_of(endings, [&](std::string_view end) { return base.ends_with(end); })) {
        return true;
    }
    return name == ".config" || name == ".config.old" || name == "System.map" ||
           name == ".version" || name.starts_with("vmlinux") ||
           name.starts_with("include/config/") || name.starts_with("include/generated/") ||
           name.contains("/include/generated/");
}

/// Whether a file is somebody's tool's and no source: patches and what quilt, patch(1), editors and
/// indexers leave beside sources.
bool is_left_beside(std::string_view name) {
    const std::string_view base = name.substr(name.rfind('/') + 1);
    constexpr std::array<std::string_view, 6> endings{".patch", ".diff", ".orig",
                                                      ".rej",   "~",     ".swp"};
    constexpr std::array<std::string_view, 2> folders{".pc/", "patches/"};
    constexpr std::array<std::string_view, 6> indexes{"tags",  "TAGS",   "GPATH",
                                                      "GTAGS", "GRTAGS", "GSYMS"};
    return std::ranges::any_of(endings, [&](auto end) { return base.ends_with(end); }) ||
           std::ranges::any_of(folders, [&](auto folder) { return name.starts_with(folder); }) ||
           std::ranges::find(indexes, name) != indexes.end() || name.starts_with("cscope.");
}

bool is_one_of(std::string_view name, std::span<const std::string> left_out) {
    return std::ranges::any_of(left_out, [&](const std::string& left) {
        return name == left || name.starts_with(left + "/");
    });
}

Result<SourceFile> describe(const fs::path& folder, const fs::path& path) {
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) {
        return std::unexpected(file_error("cannot look at", path));
    }
    constexpr std::int64_t second = 1'000'000'000;
    return SourceFile{.name = path.lexically_relative(folder).string(),
                      .size = static_cast<std::uint64_t>(status.st_size),
                      .modified_ns = status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec,
                      .link = S_ISLNK(status.st_mode)};
}

std::string listing_of(const std::vector<SourceFile>& files) {
    std::string text;
    for (const SourceFile& file : files) {
        text += fmt::format("{}\n{} {}\n", file.name, file.size, file.modified_ns);
    }
    return sha256_of(std::as_bytes(std::span(text)));
}

Result<std::string> bytes_of(const fs::path& path, bool link) {
    if (link) {
        std::error_code failed;
        const fs::path target = fs::read_symlink(path, failed);
        return failed
                   ? Result<std::string>(std::unexpected(file_error("cannot read", path, failed)))
                   : target.string();
    }
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
        return std::unexpected(file_error("cannot read", path));
    }
    return bytes;
}

Result<void> set_time(const fs::path& path, std::int64_t modified_ns) {
    constexpr std::int64_t second = 1'000'000'000;
    const timespec time{modified_ns / second, modified_ns % second};
    const std::array times{time, time};
    if (utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
        return std::unexpected(file_error("cannot set the time of", path));
    }
    return {};
}

Result<void> copy_one(const fs::path& from, const SourceFile& file, const fs::path& to) {
    std::error_code failed;
    if (file.link) {
        fs::copy_symlink(from, to, failed);
    } else {
        fs::copy_file(from, to, failed);
        // A tree that cannot be written must not give a copy that cannot.
        if (!failed) {
            fs::permissions(to, fs::perms::owner_write, fs::perm_options::add, failed);
        }
    }
    if (failed) {
        return std::unexpected(file_error("cannot copy to", to, failed));
    }
    return set_time(to, file.modified_ns);
}

/// Whether the cache's disk has next to nothing left: the library's copying of a file says EIO
/// then.
bool is_full() {
    constexpr std::uintmax_t next_to_nothing = 1U << 20U;
    std::error_code unknown;
    const fs::space_info space = fs::space(kernels_folder(), unknown);
    return !unknown && space.available < next_to_nothing;
}

}  // namespace

std::string contents(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        return {};
    }
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

Result<void> write_file(const fs::path& file, std::string_view text, std::ios::openmode mode) {
    std::ofstream stream(file, std::ios::binary | mode);
    stream << text;
    stream.close();
    return stream ? Result<void>{} : std::unexpected(file_error("cannot write", file));
}

Error file_error(std::string_view doing, const fs::path& path, const std::error_code& code) {
    if (code == std::errc::no_space_on_device || code.value() == EDQUOT ||
        (code == std::errc::io_error && is_full())) {
        return {Fault::environment,
                fmt::format("the disk is full: {} {}; free some space (a kernel takes up to 3 GB) "
                            "or point XDG_CACHE_HOME to another disk",
                            doing, path.string()),
                {}};
    }
    std::string sentence = fmt::format("{} {}: {}", doing, path.string(), code.message());
    const std::string cache = kernels_folder().string();
    const bool refused = code == std::errc::permission_denied ||
                         code == std::errc::read_only_file_system ||
                         code == std::errc::not_a_directory;
    if (refused && path.string().starts_with(cache)) {
        sentence += "; point XDG_CACHE_HOME to a folder that can be written";
    }
    return {Fault::environment, std::move(sentence), {}};
}

Error file_error(std::string_view doing, const fs::path& path) {
    return file_error(doing, path, std::error_code(errno, std::generic_category()));
}

Result<std::vector<SourceFile>> list_sources(const fs::path& folder,
                                             std::span<const std::string> left_out) {
    std::vector<SourceFile> files;
    std::error_code failed;
    fs::recursive_directory_iterator entries(folder, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        const fs::path& path = entries->path();
        if (entries->is_symlink() || entries->is_regular_file()) {
            auto file = describe(folder, path);
            if (!file) {
                return std::unexpected(file.error());
            }
            if (!is_product(file->name) && !is_left_beside(file->name) &&
                !is_one_of(file->name, left_out)) {
                files.push_back(*std::move(file));
            }
        } else if (entries.depth() == 0 && path.filename() == ".git") {
            entries.disable_recursion_pending();
        }
    }
    if (failed) {
        return std::unexpected(file_error("cannot read", folder, failed));
    }
    std::ranges::sort(files, {}, &SourceFile::name);
    return files;
}

Result<void> settle(const fs::path& folder) {
    const Fd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return fd && syncfs(fd.get()) == 0
               ? Result<void>{}
               : std::unexpected(file_error("cannot have the disk hold", folder));
}

Result<std::map<std::string, std::string>> state_of(const fs::path& folder) {
    std::map<std::string, std::string> state;
    std::error_code failed;
    fs::recursive_directory_iterator entries(folder, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        const fs::path& path = entries->path();
        if (!entries->is_symlink() && entries->is_directory()) {
            continue;
        }
        const auto file = describe(folder, path);
        if (!file) {
            return std::unexpected(file.error());
        }
        std::string text =
            file->link ? "link " + fs::read_symlink(path, failed).string()
                       : fmt::format("{} {} {:o}", file->size, file->modified_ns,
                                     static_cast<unsigned>(entries->status().permissions()));
        state.emplace(file->name, std::move(text));
    }
    return failed ? Result<std::map<std::string, std::string>>(
                        std::unexpected(file_error("cannot read", folder, failed)))
                  : state;
}

Result<std::string> content_of(const fs::path& folder, const std::vector<SourceFile>& files,
                               const fs::path& remembered) {
    const std::string listing = listing_of(files);
    {
        std::ifstream file(remembered);
        std::string known;
        std::string content;
        constexpr std::size_t digits = 64;
        if (file >> known >> content && known == listing && content.size() == digits) {
            return content;
        }
    }
    std::string all;
    for (const SourceFile& file : files) {
        if (auto going_on = check_interrupt(); !going_on) {
            return std::unexpected(going_on.error());
        }
        const auto bytes = bytes_of(folder / file.name, file.link);
        if (!bytes) {
            return std::unexpected(bytes.error());
        }
        all += fmt::format("{} {}\n", file.name, sha256_of(std::as_bytes(std::span(*bytes))));
    }
    std::string content = sha256_of(std::as_bytes(std::span(all)));
    std::error_code ignored;  // what is not remembered is read again
    fs::create_directories(remembered.parent_path(), ignored);
    // Under another name first: two that read the same tree at once must not mix their lines.
    const fs::path part = fmt::format("{}.{}.part", remembered.string(), getpid());
    std::ofstream(part) << listing << ' ' << content << '\n';
    fs::rename(part, remembered, ignored);
    return content;
}

Result<void> copy_sources(const fs::path& from, const std::vector<SourceFile>& files,
                          const fs::path& to) {
    fs::path made;
    for (const SourceFile& file : files) {
        if (auto going_on = check_interrupt(); !going_on) {
            return going_on;
        }
        const fs::path target = to / file.name;
        if (target.parent_path() != made) {
            made = target.parent_path();
            std::error_code failed;
            fs::create_directories(made, failed);
            if (failed) {
                return std::unexpected(file_error("cannot make", made, failed));
            }
        }
        if (auto copied = copy_one(from / file.name, file, target); !copied) {
            return copied;
        }
    }
    return {};
}

Result<void> copy_folder(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::create_directories(to, failed);
    fs::recursive_directory_iterator entries(from, failed);
    for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
        if (auto going_on = check_interrupt(); !going_on) {
            return going_on;
        }
        const fs::path target = to / entries->path().lexically_relative(from);
        if (entries->is_directory() && !entries->is_symlink()) {
            fs::create_directories(target, failed);
            continue;
        }
        const auto file = describe(from, entries->path());
        if (!file) {
            return std::unexpected(file.error());
        }
        if (auto copied = copy_one(entries->path(), *file, target); !copied) {
            return copied;
        }
    }
    return failed ? Result<void>(std::unexpected(file_error("cannot copy to", to, failed)))
                  : Result<void>{};
}

}  // namespace kerntoll::lab::kernel
