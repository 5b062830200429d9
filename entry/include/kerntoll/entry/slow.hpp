// SPDX-License-Identifier: MIT
// The work that few calls need, out of line always: before a call, after it, and in front of user
// mode. Its order is what user programs rely on.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/hooks.hpp"
#include "kerntoll/entry/policy.hpp"
#include "kerntoll/entry/state.hpp"
#include "kerntoll/entry/thread.hpp"
#include "port.hpp"

namespace kerntoll::entry {

/// The Thread above the frame of an entry from user mode.
[[gnu::always_inline]] inline Thread& thread_of(Frame& frame) {
    return *reinterpret_cast<Thread*>(&frame + 1);
}

/// The place in a table that a number stands for; that of a negative one is beyond every table.
/// Ports whose numbers are an int need no sign for it, and so no instruction.
[[gnu::always_inline]] constexpr unsigned long index_of(long number) {
    return static_cast<unsigned long>(number);
}
[[gnu::always_inline]] constexpr unsigned long index_of(int number) {
    return static_cast<unsigned>(number);
}

/// The index of a call that is skipped: beyond every table. It needs no case of its own where calls
/// are dispatched, since the result stands in the frame by then: what a tracer or a filter left
/// there. The number -1 of a user has such an index, too, and the result that begin() left,
/// -ENOSYS.
inline constexpr unsigned long skipped = ~0UL;

/// The three places of slow work. Each reads what there is to do, once (before_user: once a pass);
/// whoever came here only looked whether there is anything. A bit whose hook is not there does
/// nothing, but for seccomp's: a call that a filter is to judge is not made where there is none.
/// Either is told on where the state is checked.
template <HooksType Hooks, Switched debug>
struct SlowWork {
    using State = StateChecks<Policy{.debug = debug}, Hooks>;

    /// The work before a call, interrupts on. The index of the call to dispatch: of the number that
    /// the frame has afterwards, or `skipped`.
    [[gnu::noinline, gnu::cold]] static unsigned long enter(Frame& frame) {
        Thread& thread = thread_of(frame);
        const WorkWord work = read_work(thread.syscall_work);
        State::asked_of_calls(frame, work & syscall_work::on_enter);
        // First, since such a call need not be one in the sense of this kernel at all: no other
        // party may judge its number.
        if constexpr (HasUserDispatch<Hooks>) {
            if ((work & syscall_work::user_dispatch) != 0 && Hooks::user_dispatch(frame, thread)) {
                set_work(thread.syscall_work, syscall_work::given_to_user);
                return skipped;
            }
        }
        if constexpr (HasPtraceEnter<Hooks>) {
            if ((work & syscall_work::ptrace) != 0 && !Hooks::ptrace_enter(frame, thread)) {
                return skipped;
            }
        }
        // Behind the tracer, or it could change an allowed call into a forbidden one.
        if constexpr (HasSeccomp<Hooks>) {
            if ((work & syscall_work::seccomp) != 0 && !Hooks::seccomp(frame, thread)) {
                return skipped;
            }
        } else if ((work & syscall_work::seccomp) != 0) {
            // Whoever misspells the hook has a kernel without calls, not one without a filter.
            return skipped;
        }
        // Each of these is told the number that the one before it left.
        if constexpr (HasTracepointEnter<Hooks>) {
            if ((work & syscall_work::tracepoint) != 0) {
                Hooks::tracepoint_enter(frame, thread, port::number(frame));
            }
        }
        if constexpr (HasAuditEnter<Hooks>) {
            if ((work & syscall_work::audit) != 0) {
                Hooks::audit_enter(frame, thread, port::number(frame));
            }
        }
        return index_of(port::number(frame));
    }

    /// The work after a call, once, interrupts on.
    [[gnu::noinline, gnu::cold]] static void exit(Frame& frame) {
        Thread& thread = thread_of(frame);
        const WorkWord work = read_work(thread.syscall_work);
        State::asked_of_calls(frame, work & ~syscall_work::on_enter);  // those: on the next way in
        // The rest of the call itself, so before everybody who looks at its result.
        if constexpr (HasWholeFrameCall<Hooks>) {
            if ((work & syscall_work::whole_frame_call) != 0) {
                clear_work(thread.syscall_work, syscall_work::whole_frame_call);
                Hooks::whole_frame_call(frame, thread);
            }
        }
        if constexpr (HasUserDispatch<Hooks>) {
            if ((work & syscall_work::given_to_user) != 0) {
                // The call did not happen as far as its tracers are concerned.
                clear_work(thread.syscall_work, syscall_work::given_to_user);
                return;
            }
        }
        if constexpr (HasAuditExit<Hooks>) {
            if ((work & syscall_work::audit) != 0) {
                Hooks::audit_exit(frame, thread);
            }
        }
        if constexpr (HasTracepointExit<Hooks>) {
            if ((work & syscall_work::tracepoint) != 0) {
                Hooks::tracepoint_exit(frame, thread);
            }
        }
        if constexpr (HasPtraceExit<Hooks>) {
            if ((work & syscall_work::ptrace) != 0) {
                Hooks::ptrace_exit(frame, thread);
            }
        }
    }

    /// The work before user mode. In and out with interrupts off. Each pass reads the word anew,
    /// since the work itself, an interrupt or another CPU may have added to it.
    [[gnu::noinline, gnu::cold]] static void before_user(Frame& frame) {
        Thread& thread = thread_of(frame);
        while (const WorkWord work = read_work(thread.exit_work)) {
            clear_work(thread.exit_work, work);
            State::asked_before_user(frame, work);
            port::interrupts_on();
            if constexpr (HasReschedule<Hooks>) {
                if ((work & exit_work::reschedule) != 0) {
                    Hooks::reschedule(thread);
                }
            }
            if constexpr (HasUprobe<Hooks>) {
                if ((work & exit_work::uprobe) != 0) {
                    Hooks::uprobe(frame, thread);
                }
            }
            if constexpr (HasSignal<Hooks>) {
                if ((work & exit_work::signal) != 0) {
                    Hooks::signal(frame, thread);
                }
            }
            if constexpr (HasNotifyResume<Hooks>) {
                if ((work & exit_work::notify_resume) != 0) {
                    Hooks::notify_resume(frame, thread);
                }
            }
            if constexpr (HasArchitectureWork<Hooks>) {
                if ((work & exit_work::architecture) != 0) {
                    Hooks::architecture_work(frame, thread);
                }
            }
            port::interrupts_off();
        }
    }
};

/// The last step of every way to user mode, interrupts off.
template <Policy policy, HooksType Hooks>
[[gnu::always_inline]] inline void exit_to_user(Frame& frame, Thread& thread) {
    if constexpr (policy.work == WorkWords::full) {
        if (asks_for(thread.exit_work)) [[unlikely]] {
            SlowWork<Hooks, policy.debug>::before_user(frame);
        }
    }
    StateChecks<policy, Hooks>::to_user(frame, thread);
}

}  // namespace kerntoll::entry
