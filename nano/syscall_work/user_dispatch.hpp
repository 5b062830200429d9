// SPDX-License-Identifier: MIT
// Syscall user dispatch (Linux: Documentation/admin-guide/syscall-user-dispatch.rst): calls go back
// to the user by SIGSYS while a byte of the user's says so, except those made from one range of
// addresses.
#pragma once

#include <stdint.h>

namespace kerntoll::nano {

struct UserDispatch {
    uintptr_t range_begin = 0;
    uintptr_t range_size = 0;
    uintptr_t selector = 0;  ///< address of the byte; 0: always blocked
};

/// Arms it for the current task, or disarms it where `how` is nullptr.
void set_user_dispatch(const UserDispatch* how);

}  // namespace kerntoll::nano
