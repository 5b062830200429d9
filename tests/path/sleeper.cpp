// SPDX-License-Identifier: MIT
// A guest's first process whose calls give the processor away: to the idle task, or, where the last
// word of its command line is "beside", to a process that computes.
#include "agent/kernel.hpp"

namespace kerntoll::agent {

extern "C" [[gnu::noinline]] void nap() {
    for (;;) {
        const TimeSpec soon{0, 1'000'000};  // ppoll writes the time that is left
        kernel<Call::ppoll>(0, 0, as_argument(&soon), 0, 0);
    }
}

extern "C" [[noreturn]] void kerntoll_agent_main(const uintptr_t* stack) {
    constexpr long child_ended = 17;  // SIGCHLD
    // The kernel hands over all the words that it does not know; ours is the last one.
    const auto* argument = reinterpret_cast<const char*>(stack[stack[0]]);
    if (argument[0] == 'b' && arch::fork_child(child_ended) == 0) {
        for (;;) {
            asm volatile("");
        }
    }
    nap();
    exit_process(0);
}

}  // namespace kerntoll::agent
