// SPDX-License-Identifier: MIT
// Where the agent's code lies: it is a static program at fixed addresses, the same in every
// machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"
#include "recorder/address_range.hpp"

namespace kerntoll::lab {

using recorder::AddressRange;

/// The addresses that the recorder must tell apart.
struct AgentCode {
    AddressRange text;  ///< all of the agent's instructions
    AddressRange loop;  ///< the loop that runs one workload, its trap instructions among them
};

/// Whether the agent runs the loop that goes through its sled (`pad` among the treatments).
enum class Pad { off, on };

/// Reads them from the agent's own ELF file. Fault::usage where it has no such workload,
/// Fault::environment where it is missing or no agent of this version.
[[nodiscard]] Result<AgentCode> agent_code(Arch arch, std::string_view workload,
                                           Pad pad = Pad::off);

}  // namespace kerntoll::lab
