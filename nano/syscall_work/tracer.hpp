// SPDX-License-Identifier: MIT
// The tracer: sees every call before and after it, and may change its number or skip it, as a
// process with ptrace(2) may. It is built in, since what is measured is the stop and not the
// debugger.
#pragma once

namespace kerntoll::nano {

/// Turns it on for the current task and its children. A call of number `from` is made one of `to`,
/// or skipped where that is -1; with from == to it only looks.
void start_tracer(long from, long to);
/// Prints what it counted.
void report_tracer();

}  // namespace kerntoll::nano
