// SPDX-License-Identifier: MIT
// What a terminal answers: the console is one, and always in raw mode.
#include "nano/calls/calls.hpp"
#include "nano/calls/descriptor.hpp"
#include "nano/error.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::ioctl(entry::Frame& frame) {
    File* const file = file_of(frame);
    if (file == nullptr) {
        return error::bad_descriptor;
    }
    constexpr uintptr_t get_terminal = 0x5401;  // TCGETS
    constexpr uintptr_t set_terminal = 0x5402;  // TCSETS
    constexpr uintptr_t drain = 0x5409;         // TCSBRK: nothing is ever held back
    constexpr size_t terminal_size = 36;        // struct termios
    if (!is_console(*file)) {
        return error::not_terminal;
    }
    const uintptr_t at = entry::argument(frame, 2);
    unsigned char terminal[terminal_size];
    switch (entry::argument(frame, 1) & UINT32_MAX) {
        case get_terminal:
            return clear_user(at, terminal_size) ? 0 : error::bad_address;
        case set_terminal:
            return copy_from_user(terminal, at, terminal_size) ? 0 : error::bad_address;
        case drain:
            return 0;
        default:
            return error::not_terminal;
    }
}

}  // namespace kerntoll::nano
