// SPDX-License-Identifier: MIT
#pragma once

namespace kerntoll::nano {

/// The policy's choices that are not the defaults, as `axis=value axis=value`, or `defaults`. What
/// `uname -v` says. Defined by entry.cpp.
extern const char variant[];

}  // namespace kerntoll::nano
