// SPDX-License-Identifier: MIT
// SECCOMP_SET_MODE_FILTER, once per task.
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// struct sock_fprog.
struct FilterProgram {
    uint16_t length;
    uintptr_t instructions;
};

}  // namespace

long calls::seccomp(entry::Frame& frame) {
    constexpr uintptr_t set_filter = 1;
    if ((entry::argument(frame, 0) & UINT32_MAX) != set_filter || entry::argument(frame, 1) != 0) {
        return error::invalid;
    }
    FilterProgram program;
    if (!read_user(program, entry::argument(frame, 2))) {
        return error::bad_address;
    }
    SeccompFilter filter{.length = program.length};
    if (filter.length > SeccompFilter::most) {
        return error::invalid;
    }
    if (!copy_from_user(filter.program, program.instructions,
                        filter.length * sizeof(FilterInstruction))) {
        return error::bad_address;
    }
    if (!is_sound(filter)) {
        return error::invalid;
    }
    entry::WorkWord& work = current_task().kernel.thread.syscall_work;
    if ((work & entry::syscall_work::seccomp) != 0) {
        return error::busy;
    }
    current_task().filter = filter;
    entry::set_work(work, entry::syscall_work::seccomp);
    return 0;
}

}  // namespace kerntoll::nano
