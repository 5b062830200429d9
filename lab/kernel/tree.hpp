// SPDX-License-Identifier: MIT
// The kernel sources that a user points at: what they are, and what identifies their content.
// Nothing here, nor anything else of this part, writes into them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// A Linux source tree.
struct Tree {
    std::filesystem::path path;  ///< absolute
    std::string version;         ///< "6.12.117", from its Makefile
    /// Of a git tree the commit that is the base, as 40 hexadecimal digits; empty otherwise. What
    /// is not committed is no part of the base.
    std::string commit = {};
    std::string named = {};  ///< how people call it: "v6.12-3-gabcdef012345", or the folder's name
    /// Of an unpacked package the version that it says it is: "linux 6.12.73-1"; empty otherwise.
    std::string package = {};
    /// Names the content: git's hash of the commit's tree, or the SHA-256 of names and bytes.
    std::string content = {};
    /// Of an unpacked tree what lies in it and is none of it, relative to it.
    std::vector<std::string> left_out = {};
    [[nodiscard]] bool is_git() const { return !commit.empty(); }
};

/// Reads what a folder is. `commit` asks for another base than HEAD and is for git trees only.
/// Fault::usage where it is no kernel tree, has no such commit, or is older than 5.10, which has
/// not the options that a build needs. `left_out` are files and folders that may lie in an unpacked
/// tree without being part of it: the patch, the folder of the results.
[[nodiscard]] Result<Tree> read_tree(const std::filesystem::path& folder,
                                     const std::optional<std::string>& commit = {},
                                     std::span<const std::string> left_out = {});

/// The beginning of a hash, as git and reports show it: 12 hexadecimal digits.
[[nodiscard]] inline std::string short_hash(std::string_view hash) {
    return std::string(hash.substr(0, 12));
}

/// The hash of a git tree's commit. Fault::usage where there is none of that name.
[[nodiscard]] Result<std::string> commit_of(const Tree& tree, const std::string& name);

/// The difference between two commits as a patch; `to` empty: what is changed in the work tree and
/// not committed. Fault::usage where there is no such commit.
[[nodiscard]] Result<std::string> difference(const Tree& tree, const std::string& from,
                                             const std::string& to);

/// Files in a git tree that git neither tracks nor ignores: they are in no difference.
[[nodiscard]] Result<std::vector<std::string>> untracked(const Tree& tree);

}  // namespace kerntoll::lab::kernel
