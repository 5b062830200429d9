// SPDX-License-Identifier: MIT
// Proof that a change was compiled. make(1) goes by times: a patched header that is older than an
// object made of it rebuilds nothing, and make says that all is well.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// What became of the objects that patched files go into, by Kbuild's records (.NAME.o.cmd).
struct Rebuilt {
    std::size_t objects = 0;         ///< of the kernel, made of at least one of the patched files
    std::vector<std::string> stale;  ///< of these, still those of the base
};

/// What is to be looked at.
struct Relinked {
    std::filesystem::path objects;  ///< made of a copy of `base`, with its times
    std::filesystem::path base;     ///< object tree of the base
    std::filesystem::path image;    ///< in the object tree: what all objects go into
};

/// Removes the objects that a new file may be part of, before make(1) is run: where a header comes
/// that stands before another one of its name on the compiler's path, no record names it and make
/// has no reason to make anything anew. Every object goes whose record names a file with the same
/// last part as one of `added`. What asks for a file by __has_include alone is in no record.
[[nodiscard]] Result<void> remove_shadowed(const std::filesystem::path& objects,
                                           std::span<const std::string> added);

/// Whether anything in an object tree is as new as a file or newer, as after a clock was set back:
/// make(1) would take it for made of that file.
[[nodiscard]] Result<bool> is_ahead(const std::filesystem::path& objects,
                                    const std::filesystem::path& than);

/// Looks at every record in an object tree. An object that has the time of the base's was not made
/// anew, whatever the clock says; nor was the image, of whose parts any was. One that is older than
/// what was patched, and make(1) left it so, is no part of the kernel any more. `changed` is
/// relative to the sources.
[[nodiscard]] Result<Rebuilt> check_rebuilt(const Relinked& trees,
                                            const std::filesystem::path& source,
                                            std::span<const std::string> changed);

/// What records and image say of a patch's being built, as a sentence; empty where it was built
/// as one expects. Where the image is another one, the patch is in it, whatever the records name (a
/// Makefile's options, say).
[[nodiscard]] std::string proof(const Rebuilt& rebuilt, bool same_image);

}  // namespace kerntoll::lab::kernel
