// SPDX-License-Identifier: MIT
#include "nano/syscall_work/rseq.hpp"

#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::rseq(entry::Frame& frame) {
    constexpr uintptr_t unregister = 1;
    const uintptr_t flags = entry::argument(frame, 2) & UINT32_MAX;
    if ((flags & ~unregister) != 0) {
        return error::invalid;
    }
    const auto change = flags == unregister ? remove_rseq : add_rseq;
    return change(entry::argument(frame, 0), static_cast<uint32_t>(entry::argument(frame, 1)),
                  static_cast<uint32_t>(entry::argument(frame, 3)));
}

}  // namespace kerntoll::nano
