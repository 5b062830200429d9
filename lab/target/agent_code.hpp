// SPDX-License-Identifier: MIT
// Where the agent's code lies: it is a static program at fixed addresses, the same in every
// machine. So is each of the programs that a `hosted:` variant is made into.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/base/error.hpp"
#include "lab/target/requests.hpp"
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
[[nodiscard]] Pad pad_of(const Treatments& treatments);

/// Reads them from the agent's own ELF file. Fault::usage where it has no such workload,
/// Fault::environment where it is missing or no agent of this version.
[[nodiscard]] Result<AgentCode> agent_code(Arch arch, std::string_view workload,
                                           Pad pad = Pad::off);

/// The addresses that are told apart in a program with the agent and the entry path in it.
struct HostedCode {
    AddressRange loop;       ///< the loop that runs one workload, its calls of the path among it
    std::uint64_t gate = 0;  ///< the path's first instruction
};

/// Reads them from the program's ELF file, an open descriptor. Fails as agent_code() does.
[[nodiscard]] Result<HostedCode> hosted_code(int program, const Work& work, Pad pad);

}  // namespace kerntoll::lab
