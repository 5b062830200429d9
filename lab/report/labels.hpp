// SPDX-License-Identifier: MIT
// Short names of a run's arms, so that long targets stand in one place only.
#pragma once

#include <cstdint>
#include <string>

#include "lab/store/records.hpp"

namespace kerntoll::lab::report {

/// "A" for the base, "B", "C", … for the changes, "A again" for the control, "P" (or "P1", "P2", …)
/// for placebos.
[[nodiscard]] std::string label(const store::RunRecord& run, std::uint32_t arm);

}  // namespace kerntoll::lab::report
