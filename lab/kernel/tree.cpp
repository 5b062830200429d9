// SPDX-License-Identifier: MIT
#include "lab/kernel/tree.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "lab/kernel/content.hpp"
#include "lab/kernel/git.hpp"
#include "lab/kernel/source.hpp"
#include "lab/target/digest.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

/// What the first lines of a Makefile set: VERSION = 6 and the like.
std::map<std::string, std::string> settings_of(std::string_view makefile) {
    std::map<std::string, std::string> settings;
    while (!makefile.empty()) {
        const auto end = makefile.find('\n');
        const std::string_view line = makefile.substr(0, end);
        makefile.remove_prefix(end == std::string_view::npos ? makefile.size() : end + 1);
        const auto sign = line.find(" =");
        if (sign == std::string_view::npos) {
            continue;
        }
        const auto value = line.find_first_not_of(' ', sign + 2);
        settings.emplace(line.substr(0, sign),
                         value == std::string_view::npos ? "" : line.substr(value));
    }
    return settings;
}

unsigned number(const std::string& text) {
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Result<std::string> version_of(std::string_view makefile, const fs::path& folder) {
    auto settings = settings_of(makefile);
    if (!settings.contains("VERSION") || !settings.contains("PATCHLEVEL")) {
        return fail(
            Fault::usage,
            fmt::format("{} is no kernel tree: its Makefile sets no VERSION and PATCHLEVEL; "
                        "give the folder of a Linux source tree with --tree",
                        folder.string()));
    }
    const std::pair given{number(settings["VERSION"]), number(settings["PATCHLEVEL"])};
    if (given < std::pair{5U, 10U}) {
        return fail(Fault::usage, fmt::format("{} is Linux {}.{}, and the oldest that can be tried "
                                              "is 5.10",
                                              folder.string(), given.first, given.second));
    }
    return fmt::format("{}.{}.{}{}", settings["VERSION"], settings["PATCHLEVEL"],
                       settings["SUBLEVEL"], settings["EXTRAVERSION"]);
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

Result<std::string> ask(const fs::path& folder, std::vector<std::string> words) {
    auto answer = git({.folder = folder, .words = std::move(words)});
    return answer ? Result<std::string>(first_line(*answer)) : answer;
}

std::unexpected<Error> not_readable(const fs::path& folder, const Error& error) {
    return fail(error.fault, fmt::format("git cannot read the repository in {}: {}",
                                         folder.string(), error.message));
}

Result<std::string> hash_of(const fs::path& folder, const std::string& commit) {
    auto hash = ask(folder, {"rev-parse", "--verify", "--quiet", commit + "^{commit}"});
    // Asked quietly git has no words for a name that it does not know.
    if (!hash && !hash.error().message.starts_with("git rev-parse exited")) {
        return not_readable(folder, hash.error());
    }
    if (!hash) {
        const auto shallow = ask(folder, {"rev-parse", "--is-shallow-repository"});
        return fail(
            hash.error().fault,
            fmt::format("{} has no commit '{}'; {}", folder.string(), commit,
                        shallow.value_or("") == "true"
                            ? "it is a shallow clone, which 'git fetch --unshallow' completes"
                            : "'git log' there lists them"));
    }
    return hash;
}

Result<Tree> read_git(const fs::path& folder, const std::string& commit) {
    const auto hash = hash_of(folder, commit);
    if (!hash) {
        return std::unexpected(hash.error());
    }
    const auto listed = ask(folder, {"ls-tree", "--name-only", *hash, "Makefile"});
    if (listed && listed->empty()) {
        return fail(Fault::usage, fmt::format("{} is no kernel tree: its commit {} has no Makefile",
                                              folder.string(), commit));
    }
    const auto makefile = git({.folder = folder, .words = {"show", *hash + ":Makefile"}});
    const auto content = ask(folder, {"rev-parse", *hash + "^{tree}"});
    if (!listed || !makefile || !content) {
        return not_readable(folder, !listed     ? listed.error()
                                    : !makefile ? makefile.error()
                                                : content.error());
    }
    auto version = version_of(*makefile, folder);
    if (!version) {
        return std::unexpected(version.error());
    }
    const auto named = ask(folder, {"describe", "--tags", "--always", "--abbrev=12", *hash});
    return Tree{.path = folder,
                .version = *std::move(version),
                .commit = *hash,
                .named = named.value_or(short_hash(*hash)),
                .content = *content};
}

/// Names relative to the tree of what lies in it.
std::vector<std::string> names_within(const fs::path& folder, std::span<const std::string> paths) {
    std::vector<std::string> names;
    for (const std::string& path : paths) {
        std::error_code failed;
        const fs::path whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
        const fs::path name = whole.lexically_relative(folder);
        if (!failed && !name.empty() && name != "." && *name.begin() != "..") {
            names.push_back(name.has_filename() ? name.string() : name.parent_path().string());
        }
    }
    return names;
}

/// What dpkg-parsechangelog(1) takes for source and version: "linux (6.12.73-1) trixie; urgency=…".
/// Empty for what `make bindeb-pkg` leaves in a tree, which is no package that anybody has.
std::string package_of(const fs::path& folder) {
    const std::string line = first_line(contents(folder / "debian" / "changelog"));
    const auto begin = line.find(" (");
    const auto end = line.find(") ", begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || begin == 0 || end == std::string::npos) {
        return {};
    }
    const std::string name = line.substr(0, begin);
    const std::string version = line.substr(begin + 2, end - begin - 2);
    constexpr std::size_t longest = 64;
    const auto is_of = [](std::string_view text, std::string_view letters) {
        return text.size() <= longest && text.find_first_not_of(letters) == text.npos;
    };
    // Debian Policy 5.6.1 and 5.6.12.
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyz0123456789+-.";
    constexpr std::string_view of_versions =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-:~";
    if (!is_of(name, of_names) || !is_of(version, of_versions) || name == "linux-upstream") {
        return {};
    }
    return fmt::format("{} {}", name, version);
}

Result<Tree> read_plain(const fs::path& folder, std::span<const std::string> paths) {
    auto version = version_of(contents(folder / "Makefile"), folder);
    if (!version) {
        return std::unexpected(version.error());
    }
    auto left_out = names_within(folder, paths);
    const auto files = list_sources(folder, left_out);
    if (!files) {
        return std::unexpected(files.error());
    }
    const std::string path = folder.string();
    auto content = content_of(
        folder, *files, kernels_folder() / "trees" / sha256_of(std::as_bytes(std::span(path))));
    if (!content) {
        return std::unexpected(content.error());
    }
    return Tree{.path = folder,
                .version = *std::move(version),
                .commit = {},
                .named = folder.filename().string(),
                .package = package_of(folder),
                .content = *std::move(content),
                .left_out = std::move(left_out)};
}

}  // namespace

Result<Tree> read_tree(const fs::path& folder, const std::optional<std::string>& commit,
                       std::span<const std::string> left_out) {
    std::error_code failed;
    const fs::path path = fs::canonical(folder, failed);
    if (failed || !fs::is_directory(path, failed)) {
        return fail(Fault::usage, fmt::format("there is no folder {}; give that of a Linux source "
                                              "tree with --tree",
                                              folder.string()));
    }
    // A worktree and a submodule have a file of that name.
    const bool is_git = fs::exists(path / ".git", failed);
    if (!is_git && commit) {
        return fail(Fault::usage, fmt::format("{} is no git tree, so it has no commit '{}' to "
                                              "compare with",
                                              path.string(), *commit));
    }
    if (failed) {
        return std::unexpected(file_error("cannot read", path, failed));
    }
    if (!fs::exists(path / "Makefile", failed)) {
        return fail(Fault::usage, fmt::format("{} is no kernel tree: it has no Makefile; give the "
                                              "folder of a Linux source tree with --tree",
                                              path.string()));
    }
    return is_git ? read_git(path, commit.value_or("HEAD")) : read_plain(path, left_out);
}

Result<std::string> commit_of(const Tree& tree, const std::string& name) {
    return hash_of(tree.path, name);
}

Result<std::string> difference(const Tree& tree, const std::string& from, const std::string& to) {
    std::vector<std::string> words{"diff",
                                   "--binary",
                                   "--no-color",
                                   "--no-ext-diff",
                                   "--no-textconv",
                                   "--no-renames",
                                   "--no-relative",
                                   "--unified=3",
                                   "--submodule=short",
                                   "--src-prefix=a/",
                                   "--dst-prefix=b/",
                                   from};
    if (!to.empty()) {
        words.push_back(to);
    }
    words.emplace_back("--");
    return git({.folder = tree.path, .words = std::move(words), .settings = GitSettings::users});
}

Result<std::vector<std::string>> untracked(const Tree& tree) {
    const auto listed = git({.folder = tree.path,
                             .words = {"ls-files", "--others", "--exclude-standard", "-z"},
                             .settings = GitSettings::users});
    if (!listed) {
        return std::unexpected(listed.error());
    }
    std::vector<std::string> files;
    std::istringstream names(*listed);
    for (std::string name; std::getline(names, name, '\0');) {
        files.push_back(name);
    }
    return files;
}

}  // namespace kerntoll::lab::kernel
