// SPDX-License-Identifier: MIT
// Audit: counts calls by how they end, and keeps the last that failed.
#pragma once

namespace kerntoll::nano {

/// Turns it on for the current task and its children.
void start_audit();
/// Prints what it counted.
void report_audit();

}  // namespace kerntoll::nano
