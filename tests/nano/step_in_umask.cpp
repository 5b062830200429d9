// SPDX-License-Identifier: MIT
// Takes the place of nano/calls/umask.cpp in an image for s390x: umask(1) has its caller go on in
// single steps (PER, instruction fetching), umask(0) ends that and tells how many there were, as
// bug_test.cpp has them counted in hooks.cpp.
#include "nano/calls/calls.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long steps_taken = 0;

long calls::umask(entry::Frame& frame) {
    constexpr uintptr_t program_event_recording = uintptr_t{1} << 62U;
    if (entry::argument(frame, 0) == 0) {
        frame.mask &= ~program_event_recording;
        return steps_taken;
    }
    steps_taken = 0;
    // Control registers 9 to 11: the event, and the addresses that it is wanted of: all.
    const uint64_t controls[] = {uint64_t{1} << 30U, 0, ~uint64_t{0}};
    asm volatile("lctlg %%c9, %%c11, %0" : : "Q"(controls[0]), "m"(controls) : "memory");
    frame.mask |= program_event_recording;
    return 0;
}

}  // namespace kerntoll::nano
