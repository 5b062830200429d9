// SPDX-License-Identifier: MIT
// For a child by its pid, or for any (-1). WNOHANG; no resources are told.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/scheduler.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// Whether the current task has such a child; `ended` becomes one that has ended, if there is one.
bool find_child(long pid, Task*& ended) {
    bool found = false;
    for (Task& task : all_tasks()) {
        if (task.state == Task::State::free || task.parent != current_task().pid ||
            (pid != -1 && task.pid != pid)) {
            continue;
        }
        found = true;
        if (task.state == Task::State::zombie) {
            ended = &task;
        }
    }
    return found;
}

}  // namespace

long calls::wait4(entry::Frame& frame) {
    const long pid = static_cast<int>(entry::argument(frame, 0));
    const uintptr_t status = entry::argument(frame, 1);
    const uintptr_t options = entry::argument(frame, 2) & UINT32_MAX;
    constexpr uintptr_t do_not_wait = 1;
    if ((options & ~do_not_wait) != 0 || (pid <= 0 && pid != -1)) {
        return error::invalid;
    }
    Task* ended = nullptr;
    bool has_child = true;
    const auto look = [&] {
        has_child = find_child(pid, ended);
        return !has_child || ended != nullptr || options == do_not_wait;
    };
    if (const long waited = wait_until(look); waited != 0) {
        return waited;
    }
    if (!has_child) {
        return error::no_child;
    }
    if (ended == nullptr) {
        return 0;
    }
    const long child = ended->pid;
    const int32_t wait_status = ended->wait_status;
    free_task(*ended);
    return status == 0 || write_user(status, wait_status) ? child : error::bad_address;
}

}  // namespace kerntoll::nano
