// SPDX-License-Identifier: MIT
// What the lab asks of an agent, as payloads (docs/wire.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"
#include "wire/text.hpp"

namespace kerntoll::lab {

/// Treatments, as the wire names them.
using Treatments = std::vector<std::pair<std::string, std::string>>;

/// `run` or `calibrate` of a workload; `key` is what `number` is called there.
[[nodiscard]] std::string workload_request(wire::Text verb, const Work& work, wire::Text key,
                                           std::uint64_t number);

/// `setup`. Fault::usage, with `label` in front, where the treatments do not fit into one frame.
[[nodiscard]] Result<std::string> setup_request(std::string_view label,
                                                const Treatments& treatments);

/// Requests as the file that a machine finds them in: carried out before its agent says hello, so
/// that nothing the lab does, or when, has a part in what the machine does until then.
[[nodiscard]] std::string script_of(std::span<const std::string> requests);

}  // namespace kerntoll::lab
