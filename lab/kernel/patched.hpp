// SPDX-License-Identifier: MIT
// Patches put on a private copy of the sources, and taken off again so that nothing is left of
// them: neither bytes nor times, by which make(1) would rebuild.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/kernel/patches.hpp"

namespace kerntoll::lab::kernel {

/// Files of a copy with changes on it, relative to its folder.
using ChangedFiles = std::vector<std::string>;

/// Puts patches on, one after the other. What they change is moved to `saved` before, so that
/// take_off() can undo it even after the program was killed. Their files get the present time: an
/// object that is older than its source is what make(1) rebuilds. Fault::usage, with git's own
/// words on where, where a patch does not apply; nothing is changed then.
[[nodiscard]] Result<ChangedFiles> put_on(const std::filesystem::path& source,
                                          const std::filesystem::path& saved,
                                          std::span<const Patch> patches);

/// Appends text to a file of the copy, to be undone in the same way.
[[nodiscard]] Result<void> append_to(const std::filesystem::path& source,
                                     const std::filesystem::path& saved, const std::string& file,
                                     const std::string& text);

/// Of the files that are changed, those that the tree does not have.
[[nodiscard]] ChangedFiles added_by(const std::filesystem::path& saved,
                                    const ChangedFiles& changed);

/// Puts everything back. Does nothing where nothing is on.
[[nodiscard]] Result<void> take_off(const std::filesystem::path& source,
                                    const std::filesystem::path& saved);

}  // namespace kerntoll::lab::kernel
