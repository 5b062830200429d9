// SPDX-License-Identifier: MIT
// The ordinary end of the machine, and what it says on the way.
#pragma once

namespace kerntoll::nano {

/// Exit status of a machine that was given nothing it can run, or cannot run what it is.
inline constexpr int unusable_status = 102;

/// Powers off with a status, 0 being success; first prints what the work counted, where the
/// parameter block asks for it (Switch::report).
[[noreturn]] void shut_down(int status);

/// Prints how many interrupts came that nobody asked for and no flag kept out.
void report_interrupts();

}  // namespace kerntoll::nano
