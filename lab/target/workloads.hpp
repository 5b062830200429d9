// SPDX-License-Identifier: MIT
// The names of the agent's workloads, for help and for those who mistype one.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace kerntoll::lab {

/// In the order of the agent's own table (agent/workloads/table.cpp), which a test holds it to.
/// What they do: docs/wire.md.
inline constexpr std::array<std::string_view, 14> agent_workloads{
    "getpid", "getppid", "getpgid", "mix",  "close",   "read",  "write",
    "stat",   "fstat",   "open",    "seek", "invalid", "clock", "empty"};

/// "there is no workload 'getpit'; did you mean 'getpid'? There are getpid, mix"
[[nodiscard]] std::string no_such_workload(std::string_view workload,
                                           std::span<const std::string_view> there_are);

}  // namespace kerntoll::lab
