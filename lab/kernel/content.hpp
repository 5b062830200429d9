// SPDX-License-Identifier: MIT
// The files of an unpacked source tree: which there are, what names their content, and a copy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <ios>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// A file or symbolic link of a source tree.
struct SourceFile {
    std::string name;  ///< relative to the tree
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    bool link = false;
};

/// The sources in a folder, by name. What an earlier build inside the tree has left there (objects,
/// .config, generated headers) is none of them: an out-of-tree build would refuse to start. Nor is
/// what Linux's own .gitignore has for patches, quilt, editors and indexes of symbols, nor what is
/// in `left_out`, relative to the folder.
[[nodiscard]] Result<std::vector<SourceFile>> list_sources(
    const std::filesystem::path& folder, std::span<const std::string> left_out = {});

/// SHA-256 of names and bytes. `remembered` is a file that keeps it beside sizes and times, so that
/// a tree that has not been touched is not read again, as git's index does it.
[[nodiscard]] Result<std::string> content_of(const std::filesystem::path& folder,
                                             const std::vector<SourceFile>& files,
                                             const std::filesystem::path& remembered);

/// Copies the files, with their times, since make(1) goes by them.
[[nodiscard]] Result<void> copy_sources(const std::filesystem::path& from,
                                        const std::vector<SourceFile>& files,
                                        const std::filesystem::path& to);

/// Copies a folder with all that is in it, times included.
[[nodiscard]] Result<void> copy_folder(const std::filesystem::path& from,
                                       const std::filesystem::path& to);

/// Waits until the disk has what was written to a folder's file system (syncfs(2)).
[[nodiscard]] Result<void> settle(const std::filesystem::path& folder);

/// Every file below a folder, by name, with a text of its size, time and mode, of a link its
/// target: whoever changes a file changes that.
[[nodiscard]] Result<std::map<std::string, std::string>> state_of(
    const std::filesystem::path& folder);

/// A file's bytes; none where it cannot be read or is no regular file.
[[nodiscard]] std::string contents(const std::filesystem::path& file);

/// Writes a file, or appends to it. Fault::environment where that cannot be done.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view text,
                                      std::ios::openmode mode);

/// A sentence for what a file operation said: a full disk is told as such.
[[nodiscard]] Error file_error(std::string_view doing, const std::filesystem::path& path,
                               const std::error_code& code);

/// The same for the error number of the last call.
[[nodiscard]] Error file_error(std::string_view doing, const std::filesystem::path& path);

}  // namespace kerntoll::lab::kernel
