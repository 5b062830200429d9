// SPDX-License-Identifier: MIT
// The way of everything that is not a system call: interrupts and exceptions, from user mode and
// from the kernel, the latter nested in whatever ran there. All are entered and left with
// interrupts off.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/hooks.hpp"
#include "kerntoll/entry/policy.hpp"
#include "kerntoll/entry/slow.hpp"
#include "kerntoll/entry/state.hpp"
#include "kerntoll/entry/thread.hpp"
#include "port.hpp"

namespace kerntoll::entry {

/// The four ways: an interrupt or an exception, from user mode or from the kernel. Those from user
/// mode are functions of their own: what is inlined beside a system call has its values computed by
/// every call.
template <Policy policy, HooksType Hooks>
struct InterruptPath {
    using State = StateChecks<policy, Hooks>;

    /// The embedder's handler runs with interrupts off.
    [[gnu::noinline]] static void interrupt_from_user(Frame& frame, Cause cause) {
        Thread& thread = thread_of(frame);
        State::left_user(frame, thread);
        Hooks::interrupt(frame, cause);
        exit_to_user<policy, Hooks>(frame, thread);
    }
    /// A fault of the user's. The embedder's handler begins with interrupts off, or the next trap
    /// might overwrite what the machine has to say of this one (riscv64's stval); it may turn them
    /// on from then on, since it may sleep.
    [[gnu::noinline]] static void exception_from_user(Frame& frame, Cause cause) {
        Thread& thread = thread_of(frame);
        State::left_user(frame, thread);
        Hooks::exception(frame, thread, cause);
        port::interrupts_off();
        exit_to_user<policy, Hooks>(frame, thread);
    }
    /// The first way to user mode of a task that nothing led into the kernel: the work that waits
    /// for it is done as before every other, so that no instruction of a task runs that was killed
    /// before.
    [[gnu::noinline]] static void begin_user(Frame& frame) {
        Thread& thread = thread_of(frame);
        thread.context = Context::kernel;
        exit_to_user<policy, Hooks>(frame, thread);
    }
    /// Nested in the kernel: where the task is said to be does not change, and no work is done,
    /// since what was interrupted will come by exit_to_user() itself.
    static void interrupt_from_kernel(Frame& frame, Cause cause) { Hooks::interrupt(frame, cause); }
    /// A fault of the kernel's: one that a user copy expects, or a bug.
    static void exception_from_kernel(Frame& frame, Cause cause) {
        Hooks::kernel_exception(frame, cause);
    }
};

}  // namespace kerntoll::entry
