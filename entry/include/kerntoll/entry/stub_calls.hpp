// SPDX-License-Identifier: MIT
// What the stubs of most ports call: the functions with C linkage behind KERNTOLL_ENTRY_HANDLERS,
// which each port's handlers.hpp puts together.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/fast.h"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/policy.hpp"
#include "kerntoll/entry/syscall.hpp"

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a template cannot define symbols for the stub.
/// The stub is assembled by the same macros, and no other policy can be that of its callees.
#define KERNTOLL_ENTRY_CHECK_POLICY(policy)                                                        \
    static_assert((policy) == kerntoll::entry::chosen_policy(),                                    \
                  "KERNTOLL_ENTRY_HANDLERS: the policy is not the one that the macros choose, by " \
                  "which the stub is assembled; hand it kerntoll::entry::chosen_policy()");

/// Traps, by the Handlers of the port; and the beginning of a task.
#define KERNTOLL_ENTRY_TRAP_HANDLERS(policy, Hooks)                             \
    extern "C" void kerntoll_entry_from_user(kerntoll::entry::Frame& frame,     \
                                             kerntoll::entry::Cause cause) {    \
        kerntoll::entry::Handlers<policy, Hooks>::from_user(frame, cause);      \
    }                                                                           \
    extern "C" void kerntoll_entry_from_kernel(kerntoll::entry::Frame& frame,   \
                                               kerntoll::entry::Cause cause) {  \
        kerntoll::entry::Handlers<policy, Hooks>::from_kernel(frame, cause);    \
    }                                                                           \
    extern "C" void KERNTOLL_ENTRY_BEFORE_USER(kerntoll::entry::Frame& frame) { \
        kerntoll::entry::InterruptPath<policy, Hooks>::begin_user(frame);       \
    }

/// The three parts of a call with frame=lazy; nothing elsewhere.
#if KERNTOLL_frame_lazy == 1
#define KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)                                            \
    extern "C" kerntoll::entry::Fast kerntoll_entry_call_fast(kerntoll::entry::Frame& frame) { \
        return kerntoll::entry::SyscallPath<policy, Hooks>::run_fast(                          \
            frame, kerntoll::entry::thread_of(frame));                                         \
    }                                                                                          \
    extern "C" void kerntoll_entry_call_enter(kerntoll::entry::Frame& frame) {                 \
        kerntoll::entry::SyscallPath<policy, Hooks>::continue_enter(                           \
            frame, kerntoll::entry::thread_of(frame));                                         \
    }                                                                                          \
    extern "C" void kerntoll_entry_call_exit(kerntoll::entry::Frame& frame) {                  \
        kerntoll::entry::SyscallPath<policy, Hooks>::continue_exit(                            \
            frame, kerntoll::entry::thread_of(frame));                                         \
    }
#else
#define KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)
#endif

/// Calls that have a door of their own: whole, or in those three parts.
#if KERNTOLL_frame_lazy == 1
#define KERNTOLL_ENTRY_CALL_HANDLERS(policy, Hooks) KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)
#else
#define KERNTOLL_ENTRY_CALL_HANDLERS(policy, Hooks)                      \
    extern "C" void kerntoll_entry_call(kerntoll::entry::Frame& frame) { \
        kerntoll::entry::Handlers<policy, Hooks>::call(frame);           \
    }
#endif
// NOLINTEND(cppcoreguidelines-macro-usage)
