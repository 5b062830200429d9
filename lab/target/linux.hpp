// SPDX-License-Identifier: MIT
// `linux:IMAGE`: a Linux kernel booted under QEMU, measured by an agent that is its /init.
#pragma once

#include <memory>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Opens a target of kind linux whose options are known to exist (check_kind): reads the image,
/// finds QEMU, decides on the accelerator.
[[nodiscard]] Result<std::unique_ptr<Target>> open_linux(const TargetSpec& spec);

}  // namespace kerntoll::lab
