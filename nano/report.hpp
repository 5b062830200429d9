// SPDX-License-Identifier: MIT
// The ordinary end of the machine, and what it says on the way.
#pragma once

namespace kerntoll::nano {

/// Powers off with a status, 0 being success; first prints what the work counted, where the
/// parameter block asks for it (Switch::report).
[[noreturn]] void shut_down(int status);

}  // namespace kerntoll::nano
