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
/// list, as quilt(1) and git quiltimport take them. Where every line of a file ends in CR LF, a
/// mailer has done that, and it is undone. Fault::usage where a file is missing or neither, or is
/// to be put on otherwise than with -p1.
[[nodiscard]] Result<std::vector<Patch>> read_patches(std::span<const std::string> files);

}  // namespace kerntoll::lab::kernel
