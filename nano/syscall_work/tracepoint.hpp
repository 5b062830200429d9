// SPDX-License-Identifier: MIT
// The tracepoints sys_enter and sys_exit: each call leaves two records in a ring.
#pragma once

namespace kerntoll::nano {

/// Turns them on for the current task and its children.
void start_tracepoint();
/// Prints how many records there were, and the last of them.
void report_tracepoint();

}  // namespace kerntoll::nano
