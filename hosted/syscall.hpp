// SPDX-License-Identifier: MIT
// How the agent makes its calls here: it fills the frame as a stub would, and enters the path by a
// function call. Stands before the machine's own syscall.hpp on the include path (agent/arch.hpp);
// numbers, counter and sled are the machine's.
#pragma once

#include <stdint.h>

#include "agent/trap.hpp"
#include "gate.hpp"
#include "hosted/place.hpp"
#include "numbers.hpp"

namespace kerntoll::agent::arch {

/// Filling the frame is the user's side of a call, and is there in a hollow one too.
template <Trap trap, Call number, class... Arguments>
[[gnu::always_inline]] inline long call(Arguments... arguments) {
    entry::Frame& frame = hosted::place.frame;
    frame.number = static_cast<long>(number);
    [[maybe_unused]] uintptr_t* argument = frame.argument;
    ((*argument++ = static_cast<uintptr_t>(static_cast<long>(arguments))), ...);
    hosted::enter<trap>(frame);
    return frame.result;
}

/// What fork(2) does: 0 in the child, the child's pid or -errno in the parent.
[[gnu::always_inline]] inline long fork_child(long exit_signal) {
    return call<Trap::real, Call::clone>(exit_signal, 0, 0, 0, 0);
}

}  // namespace kerntoll::agent::arch
