// SPDX-License-Identifier: MIT
// Patches as a user names them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab::kernel {

struct Patch {
    std::string name;  ///< the file's, without its folder
    std::string text;
};

/// Reads files that are patches, or series: lists of patch files, one a line, named relative to the
/// list, as quilt(1) and git quiltimport take them. Fault::usage where a file is missing or
/// neither.
[[nodiscard]] Result<std::vector<Patch>> read_patches(std::span<const std::string> files);

}  // namespace kerntoll::lab::kernel
