// SPDX-License-Identifier: MIT
// Ctrl-C, SIGTERM and a terminal that goes away (SIGHUP). The first one asks: a flag is set, every
// wait of the lab ends with Fault::interrupted, and what was measured is kept. The second one ends
// the lab at once; its machines end with it (PR_SET_PDEATHSIG, see subprocess.hpp).
#pragma once

#include <poll.h>

#include <chrono>
#include <span>

#include "lab/base/error.hpp"

namespace kerntoll::lab {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

/// Makes SIGINT, SIGTERM and SIGHUP ask the lab to stop. Once, at the start of the program; SIGPIPE
/// is ignored from then on, so that a machine's death is an error value and not the lab's death.
/// SIGCHLD is as usual, also where the lab was started with it ignored: else the kernel would reap
/// the machines itself, and nobody could tell how one ended.
[[nodiscard]] Result<void> install_interrupt_handlers();

/// Sets what the lab ends with where it is asked to stop a second time; 3 unless set.
void exit_when_asked_twice_with(int code);

/// Whether the lab was asked to stop.
[[nodiscard]] bool interrupt_requested();
/// Asks as Ctrl-C does (tests, and callers with a reason of their own).
void request_interrupt();
/// Forgets that it was asked.
void clear_interrupt();
/// Fault::interrupted if the lab was asked to stop.
[[nodiscard]] Result<void> check_interrupt();

/// Waits until one of `watched` has an event (their `revents` are set), the deadline passes
/// (returns 0) or the lab is asked to stop (Fault::interrupted). Returns the number of descriptors
/// with an event. Descriptors of -1 are passed over.
[[nodiscard]] Result<int> wait_for_events(std::span<pollfd> watched, Deadline deadline);

}  // namespace kerntoll::lab
