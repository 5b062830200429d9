// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

// Templates, so that what a port's structure has not is not compiled.

template <class User>
User to_user(const Action& action) {
    User user{};
    user.handler = action.handler;
    user.flags = action.flags;
    user.mask = action.mask;
    if constexpr (requires { user.restorer; }) {
        user.restorer = action.restorer;
    }
    return user;
}

template <class User>
Action from_user(const User& user) {
    Action action{.handler = user.handler, .flags = user.flags, .mask = user.mask};
    if constexpr (requires { user.restorer; }) {
        action.restorer = user.restorer;
    } else {
        action.flags &= ~Action::with_restorer;
    }
    return action;
}

}  // namespace

long calls::rt_sigaction(entry::Frame& frame) {
    const long number = static_cast<int>(entry::argument(frame, 0));
    const uintptr_t new_action = entry::argument(frame, 1);
    const uintptr_t old_action = entry::argument(frame, 2);
    constexpr uintptr_t set_size = 8;
    if (entry::argument(frame, 3) != set_size || number < 1 || number > signal::most) {
        return error::invalid;
    }
    Action& action = current_task().signals.actions[number];
    const arch::UserAction old = to_user<arch::UserAction>(action);
    if (new_action != 0) {
        arch::UserAction wanted;
        if (number == signal::kill || number == signal::stop) {
            return error::invalid;
        }
        if (!read_user(wanted, new_action)) {
            return error::bad_address;
        }
        action = from_user(wanted);
    }
    return old_action == 0 || write_user(old_action, old) ? 0 : error::bad_address;
}

}  // namespace kerntoll::nano
