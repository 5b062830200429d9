// SPDX-License-Identifier: MIT
// Kernels that were built, kept under the hash of everything that they are made from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/base/fd.hpp"

namespace kerntoll::lab::kernel {

/// What a kernel's folder has beside the kernel. A lock on it says that somebody uses the kernel
/// (shared) or takes it away (exclusive); its time says when it was used last.
inline constexpr const char* facts_file = "facts.json";

/// A kernel that is there.
struct Built {
    std::filesystem::path image;  ///< what QEMU boots; vmlinux, System.map and config lie beside it
    std::string image_sha256;
    std::uint64_t code_bytes = 0;  ///< of all functions, by vmlinux; 0 where none says so
    std::string config_sha256;
    std::size_t steps = 0;                  ///< that make took
    std::vector<std::string> remarks = {};  ///< sentences
    bool cached = false;                    ///< was built before
    /// While this is held, tidy_cache() lets the kernel be.
    std::shared_ptr<const Fd> in_use = {};
};

/// The one with this hash, where its image is what it was. It counts as used now.
[[nodiscard]] std::optional<Built> find_built(const std::string& key);

/// Takes image, vmlinux, System.map and .config out of an object tree, under the image's own name.
/// A kernel that is there already stays, since others may be using it.
[[nodiscard]] Result<Built> keep_built(const std::string& key, const std::filesystem::path& objects,
                                       const std::filesystem::path& image, const Built& facts);

}  // namespace kerntoll::lab::kernel
