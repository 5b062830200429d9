// SPDX-License-Identifier: MIT
// Machines of which something exact is asked: a count of instructions, or a recorded path.
#pragma once

#include "lab/base/error.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/qemu.hpp"
#include "lab/target/target.hpp"
#include "lab/target/wire_machine.hpp"

namespace kerntoll::lab {

/// Whether this QEMU loads the recorder that kerntoll brings along; else Fault::environment, in a
/// sentence.
[[nodiscard]] Result<void> check_recorder_loads(const Qemu& qemu);

/// Makes the plan and the settings those of such a machine, where `how` asks for one; leaves them
/// as they are elsewhere. Uses the row, and the settings' patience and architecture.
[[nodiscard]] Result<void> make_exact(QemuPlan& plan, WireSettings& settings, const Launch& how,
                                      const Qemu& qemu);

}  // namespace kerntoll::lab
