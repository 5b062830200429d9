// SPDX-License-Identifier: MIT
// `host`: the kernel that runs this machine, measured by an agent that is a plain process.
#pragma once

#include <memory>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Opens a target of kind host whose options are known to exist (check_kind).
[[nodiscard]] Result<std::unique_ptr<Target>> open_host(const TargetSpec& spec);

}  // namespace kerntoll::lab
