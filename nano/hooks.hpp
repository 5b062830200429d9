// SPDX-License-Identifier: MIT
// What nano brings to the entry path. The functions stand where they belong: syscall_work/ has the
// work of a call's entry and exit, signal.cpp and scheduler.cpp that of the way to the user,
// hooks.cpp the rest.
#pragma once

#include <stddef.h>

#include "frame.hpp"
#include "kerntoll/entry/hooks.hpp"
#include "nano/calls/calls.hpp"
#include "nano/memory.hpp"

namespace kerntoll::nano {

struct Hooks {
    static constexpr uintptr_t user_limit = nano::user_limit;
    static constexpr size_t call_count = calls::count;
    [[gnu::always_inline]] static const entry::Call (&calls())[call_count] {
        return calls::table.rows;
    }
    static void call_by_switch(entry::Frame& frame, unsigned long number);

    static void exception(entry::Frame& frame, entry::Thread& thread, entry::Cause cause);
    static void kernel_exception(entry::Frame& frame, entry::Cause cause);
    static void interrupt(entry::Frame& frame, entry::Cause cause);

    static bool user_dispatch(entry::Frame& frame, entry::Thread& thread);
    static bool ptrace_enter(entry::Frame& frame, entry::Thread& thread);
    static bool seccomp(entry::Frame& frame, entry::Thread& thread);
    static void tracepoint_enter(entry::Frame& frame, entry::Thread& thread, long number);
    static void audit_enter(entry::Frame& frame, entry::Thread& thread, long number);

    static void whole_frame_call(entry::Frame& frame, entry::Thread& thread);
    static void audit_exit(entry::Frame& frame, entry::Thread& thread);
    static void tracepoint_exit(entry::Frame& frame, entry::Thread& thread);
    static void ptrace_exit(entry::Frame& frame, entry::Thread& thread);

    static void reschedule(entry::Thread& thread);
    static void signal(entry::Frame& frame, entry::Thread& thread);
    static void notify_resume(entry::Frame& frame, entry::Thread& thread);

    static void state_fault(entry::Frame& frame, const char* what);
};

}  // namespace kerntoll::nano
