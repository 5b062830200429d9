// SPDX-License-Identifier: MIT
// The initramfs that a Linux guest boots into: the agent as /init and the files that its workloads
// open. Written here, byte for byte, so that neither cpio nor root is needed to make device nodes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"

namespace kerntoll::lab {

/// What lmbench's stat, fstat and open use, and so the agent's workloads by default.
inline constexpr const char* default_workload_file = "/usr/include/linux/types.h";

/// A newc archive (Documentation/driver-api/early-userspace/buffer-format.rst), not compressed: the
/// agent's ELF file as /init, /dev/console, /dev/null, /dev/zero, mount point /proc, /tmp, the
/// default workload file and `files` (absolute paths; parents are made), and the script
/// (docs/wire.md) unless it is empty. The same arguments give the same bytes. Fault::usage where a
/// path is not absolute or not plain.
[[nodiscard]] Result<std::string> make_initramfs(std::span<const char> agent,
                                                 const std::vector<std::string>& files = {},
                                                 std::string_view script = {});

}  // namespace kerntoll::lab
