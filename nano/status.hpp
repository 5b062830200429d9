// SPDX-License-Identifier: MIT
#pragma once

#include "nano/arch.hpp"
#include "nano/file.hpp"

namespace kerntoll::nano {

/// The status of a kind of file; its size needs an open one.
[[nodiscard]] arch::FileStatus status_of(const FileKind& kind, const File* file);

}  // namespace kerntoll::nano
