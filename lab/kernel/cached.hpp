// SPDX-License-Identifier: MIT
// Kernels that were built, kept under the hash of everything that they are made from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

/// A kernel that is there.
struct Built {
    std::filesystem::path image;  ///< what QEMU boots; vmlinux, System.map and config lie beside it
    std::string image_sha256;
    std::string config_sha256;
    std::size_t steps = 0;                  ///< that make took
    std::vector<std::string> remarks = {};  ///< sentences
    bool cached = false;                    ///< was built before
};

/// The one with this hash.
[[nodiscard]] std::optional<Built> find_built(const std::string& key);

/// Takes image, vmlinux, System.map and .config out of an object tree, under the image's own name.
[[nodiscard]] Result<Built> keep_built(const std::string& key, const std::filesystem::path& objects,
                                       const std::filesystem::path& image, const Built& facts);

}  // namespace kerntoll::lab::kernel
