// SPDX-License-Identifier: MIT
// `hosted:`: the project's own entry path, called as a function on this CPU. A program is one
// variant of the path, made from its sources when it is first asked for.
#pragma once

#include <memory>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Opens a target of kind hosted whose options are known to exist (check_kind): builds its program.
[[nodiscard]] Result<std::unique_ptr<Target>> open_hosted(const TargetSpec& spec);

}  // namespace kerntoll::lab
