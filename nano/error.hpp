// SPDX-License-Identifier: MIT
// Linux's error numbers (asm-generic/errno.h), negative, as a call answers them.
#pragma once

namespace kerntoll::nano::error {

inline constexpr long no_permission = -1;           // EPERM
inline constexpr long no_entry = -2;                // ENOENT
inline constexpr long no_process = -3;              // ESRCH
inline constexpr long interrupted = -4;             // EINTR
inline constexpr long no_device = -6;               // ENXIO
inline constexpr long bad_descriptor = -9;          // EBADF
inline constexpr long no_child = -10;               // ECHILD
inline constexpr long try_again = -11;              // EAGAIN
inline constexpr long no_memory = -12;              // ENOMEM
inline constexpr long no_access = -13;              // EACCES
inline constexpr long bad_address = -14;            // EFAULT
inline constexpr long busy = -16;                   // EBUSY
inline constexpr long not_directory = -20;          // ENOTDIR
inline constexpr long is_directory = -21;           // EISDIR
inline constexpr long invalid = -22;                // EINVAL
inline constexpr long too_many_files_of_all = -23;  // ENFILE
inline constexpr long too_many_files = -24;         // EMFILE
inline constexpr long not_terminal = -25;           // ENOTTY
inline constexpr long no_space = -28;               // ENOSPC
inline constexpr long cannot_seek = -29;            // ESPIPE
inline constexpr long broken_pipe = -32;            // EPIPE
inline constexpr long name_too_long = -36;          // ENAMETOOLONG
inline constexpr long no_call = -38;                // ENOSYS
/// Never reaches the user: delivering a signal makes it EINTR or restarts the call (signal.cpp).
inline constexpr long restart = -512;  // ERESTARTSYS

}  // namespace kerntoll::nano::error
