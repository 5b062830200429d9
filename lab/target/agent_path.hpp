// SPDX-License-Identifier: MIT
// Where the files are that kerntoll brings along: the agents and the recorder.
#pragma once

#include <filesystem>

#include "lab/base/error.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// The agent program for an architecture. Looked for in $KERNTOLL_AGENT_DIR alone if that is set;
/// else beside the running program, in the libexec/kerntoll of the prefix it is installed in, and
/// in the build tree that it stands in. Fault::environment where there is none.
[[nodiscard]] Result<std::filesystem::path> agent_path(Arch arch);

/// The recorder, as the plugin that this QEMU takes. Looked for like the agents, with
/// $KERNTOLL_RECORDER_DIR.
[[nodiscard]] Result<std::filesystem::path> recorder_path(const QemuVersion& qemu);

/// The program that makes images of nano (nano/build) with its sources around it. Looked for like
/// the agents, with $KERNTOLL_SOURCE_DIR, which is the folder that has nano/ and entry/.
[[nodiscard]] Result<std::filesystem::path> nano_build_path();

/// The architecture that this lab runs on; nothing where kerntoll has no agent for it.
[[nodiscard]] std::optional<Arch> host_arch();

}  // namespace kerntoll::lab
