// SPDX-License-Identifier: MIT
#include "nano/syscall_work/user_dispatch.hpp"

#include "nano/arch.hpp"
#include "nano/hooks.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

void set_user_dispatch(const UserDispatch* how) {
    Task& task = current_task();
    if (how == nullptr) {
        entry::clear_work(task.kernel.thread.syscall_work, entry::syscall_work::user_dispatch);
        return;
    }
    task.dispatch = *how;
    entry::set_work(task.kernel.thread.syscall_work, entry::syscall_work::user_dispatch);
}

bool Hooks::user_dispatch(entry::Frame& frame, entry::Thread&) {
    constexpr unsigned char allow = 0;
    constexpr unsigned char block = 1;
    const UserDispatch& dispatch = current_task().dispatch;
    if (arch::program_counter(frame) - dispatch.range_begin < dispatch.range_size) {
        return false;
    }
    unsigned char selected = block;
    if (dispatch.selector != 0 && !read_user(selected, dispatch.selector)) {
        exit_task(signal::segment);
    }
    if (selected == allow) {
        return false;
    }
    if (selected != block) {
        exit_task(signal::call);
    }
    const long number = entry::port::number(frame);
    entry::port::roll_back(frame);
    force_signal({.number = signal::call,
                  .code = 2,  // SYS_USER_DISPATCH
                  .address = arch::program_counter(frame),
                  .call = static_cast<int32_t>(number),
                  .architecture = arch::audit_architecture});
    return true;
}

}  // namespace kerntoll::nano
