// SPDX-License-Identifier: MIT
// The copy of a tree that kerntoll owns and builds from.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "lab/base/error.hpp"
#include "lab/base/fd.hpp"
#include "lab/kernel/tree.hpp"

namespace kerntoll::lab::kernel {

/// Where copies, objects and images are kept: kernels/ in the cache folder.
[[nodiscard]] std::filesystem::path kernels_folder();

/// Stands in an object tree of a base that make has come to the end of. Its time says when the tree
/// was used last.
inline constexpr const char* complete = ".kerntoll-complete";

/// Told in a few words what is being done.
using Say = std::function<void(const std::string&)>;

/// A private copy of one tree's content. There is one for each content, always at the same path,
/// because Kbuild rebuilds everything whose command line changed, and that holds the path. One
/// kerntoll at a time has it.
class Source {
public:
    /// Waits until no other kerntoll has the copy, makes it where it is not there, and takes off
    /// the patches that a killed one left on it. A copy that is not as it was made after that,
    /// since a build has written into it, is made anew, and the objects that came of it go.
    /// Fault::environment where the disk is full, or the cache is where Kbuild cannot work.
    [[nodiscard]] static Result<Source> open(const Tree& tree, const Say& say);

    /// The sources, as the tree has them unless patches are on.
    [[nodiscard]] std::filesystem::path folder() const { return home_ / "source"; }
    /// Originals of what patches changed, while they are on.
    [[nodiscard]] std::filesystem::path saved() const { return home_ / "saved"; }
    /// Object trees of this content.
    [[nodiscard]] std::filesystem::path objects() const { return home_ / "objects"; }
    /// A file that is not as it was when the copy was made, but for those that are known to be
    /// changed; empty where there is none.
    [[nodiscard]] Result<std::string> written(std::span<const std::string> changed) const;
    /// What says that the copy is in use, for processes that write into it: where this program is
    /// killed, the next one waits for those that outlive it.
    [[nodiscard]] int lock() const { return lock_.get(); }

    Source(Source&&) = default;
    Source& operator=(Source&&) = delete;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    /// Lets others have it, also where a build has left a process behind that still holds it.
    ~Source();

private:
    Source(std::filesystem::path home, Fd lock) : home_(std::move(home)), lock_(std::move(lock)) {}

    /// Removes the copy and all that came of it.
    [[nodiscard]] Result<void> discard() const;

    std::filesystem::path home_;
    Fd lock_;  ///< of the whole home
};

}  // namespace kerntoll::lab::kernel
