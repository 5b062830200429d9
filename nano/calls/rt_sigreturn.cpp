// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::rt_sigreturn(entry::Frame&) {
    return ask_for_whole_frame([](entry::Frame& frame) {
        return_from_signal(frame);
        return entry::port::result(frame);
    });
}

}  // namespace kerntoll::nano
