// SPDX-License-Identifier: MIT
// PR_SET_NO_NEW_PRIVS, which holds anyhow, and PR_SET_SYSCALL_USER_DISPATCH.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/memory.hpp"
#include "nano/syscall_work/user_dispatch.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::prctl(entry::Frame& frame) {
    constexpr uintptr_t no_new_privileges = 38;
    constexpr uintptr_t set_dispatch = 59;
    constexpr uintptr_t dispatch_off = 0;
    constexpr uintptr_t dispatch_on = 1;
    const uintptr_t option = entry::argument(frame, 0) & UINT32_MAX;
    const uintptr_t second = entry::argument(frame, 1);
    const UserDispatch how{.range_begin = entry::argument(frame, 2),
                           .range_size = entry::argument(frame, 3),
                           .selector = entry::argument(frame, 4)};
    const bool all_zero = how.range_begin == 0 && how.range_size == 0 && how.selector == 0;
    if (option == no_new_privileges) {
        return second == 1 && all_zero ? 0 : error::invalid;
    }
    if (option != set_dispatch) {
        return error::invalid;
    }
    if (second == dispatch_off && all_zero) {
        set_user_dispatch(nullptr);
        return 0;
    }
    if (second != dispatch_on || how.range_begin + how.range_size < how.range_begin) {
        return error::invalid;
    }
    // Whether anything is there shows at the next call, as on Linux.
    if (how.selector >= user_limit) {
        return error::bad_address;
    }
    set_user_dispatch(&how);
    return 0;
}

}  // namespace kerntoll::nano
