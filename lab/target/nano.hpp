// SPDX-License-Identifier: MIT
// `nano:ARCH`: the project's own entry path in the small kernel around it, under QEMU. An image is
// one variant of the path, made from its sources when it is first asked for.
#pragma once

#include <memory>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Opens a target of kind nano whose options are known to exist (check_kind): builds its image,
/// finds QEMU.
[[nodiscard]] Result<std::unique_ptr<Target>> open_nano(const TargetSpec& spec);

}  // namespace kerntoll::lab
