// SPDX-License-Identifier: MIT
// Where the task is said to be, and whether that is true. Nothing of it costs an instruction unless
// the embedder tracks contexts or the policy says debug=on.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/hooks.hpp"
#include "kerntoll/entry/policy.hpp"
#include "kerntoll/entry/thread.hpp"
#include "port.hpp"

namespace kerntoll::entry {

/// The bits of the two words that somebody's hook does something about. Of two hooks of one bit
/// (ptrace's, before and after the call) one is enough.
template <HooksType Hooks>
struct WorkWithHooks {
    static constexpr WorkWord of_calls =
        (HasSeccomp<Hooks> ? syscall_work::seccomp : 0) |
        (HasUserDispatch<Hooks> ? syscall_work::user_dispatch | syscall_work::given_to_user : 0) |
        (HasPtraceEnter<Hooks> || HasPtraceExit<Hooks> ? syscall_work::ptrace : 0) |
        (HasTracepointEnter<Hooks> || HasTracepointExit<Hooks> ? syscall_work::tracepoint : 0) |
        (HasAuditEnter<Hooks> || HasAuditExit<Hooks> ? syscall_work::audit : 0) |
        (HasWholeFrameCall<Hooks> ? syscall_work::whole_frame_call : 0);
    /// A stub sets `architecture` whether the kernel has a use for it or not (s390x).
    static constexpr WorkWord before_user =
        (HasReschedule<Hooks> ? exit_work::reschedule : 0) |
        (HasUprobe<Hooks> ? exit_work::uprobe : 0) | (HasSignal<Hooks> ? exit_work::signal : 0) |
        (HasNotifyResume<Hooks> ? exit_work::notify_resume : 0) | exit_work::architecture;
};

/// Tells of a state that is not as it should be; one function for all policies.
template <HooksType Hooks>
struct StateFault {
    [[gnu::noinline, gnu::cold]] static void tell(Frame& frame, const char* what) {
        if constexpr (HasStateFault<Hooks>) {
            Hooks::state_fault(frame, what);
        }
    }
};

/// What is told, and with debug=on checked, where the way changes from user mode to the kernel and
/// back.
template <Policy policy, HooksType Hooks>
struct StateChecks {
    static constexpr bool checked = policy.debug == Switched::on;

    /// First of all after a trap from user mode; interrupts are off.
    [[gnu::always_inline]] static void left_user(Frame& frame, Thread& thread) {
        if constexpr (checked) {
            expect(frame, !port::interrupts_are_on(), "interrupts were on when user mode was left");
            expect(frame, thread.context == Context::user,
                   "a task that was in the kernel came from user mode");
            thread.context = Context::kernel;
        }
        if constexpr (HasLeftUser<Hooks>) {
            Hooks::left_user(thread);
        }
    }

    /// Last of all before user mode; interrupts are off and no work is left.
    [[gnu::always_inline]] static void to_user(Frame& frame, Thread& thread) {
        if constexpr (HasToUser<Hooks>) {
            Hooks::to_user(thread);
        }
        if constexpr (checked) {
            expect(frame, !port::interrupts_are_on(), "interrupts were on before user mode");
            expect(frame, thread.context == Context::kernel,
                   "a task that was in user mode returned to it");
            thread.context = Context::user;
        }
    }

    /// Behind a call, which may have left interrupts off; they are on afterwards.
    [[gnu::always_inline]] static void after_call(Frame& frame, Thread& thread) {
        if constexpr (checked) {
            expect(frame, thread.context == Context::kernel,
                   "a call changed where its task is said to be");
            if (!port::interrupts_are_on()) [[unlikely]] {
                StateFault<Hooks>::tell(frame, "a call returned with interrupts off");
                port::interrupts_on();
            }
            if constexpr (HasRseqCheck<Hooks>) {
                Hooks::rseq_check(frame, thread);
            }
        }
    }

    /// Where work is read: a bit that has a name and no hook is a hook that is misspelt or a
    /// request that nobody will answer. Told once each time it is come across; what it does is the
    /// same.
    [[gnu::always_inline]] static void asked_of_calls(Frame& frame, WorkWord work) {
        if constexpr (checked) {
            expect(frame, (work & syscall_work::named & ~WorkWithHooks<Hooks>::of_calls) == 0,
                   "work of calls is asked for that no hook does");
        }
    }
    [[gnu::always_inline]] static void asked_before_user(Frame& frame, WorkWord work) {
        if constexpr (checked) {
            expect(frame, (work & exit_work::named & ~WorkWithHooks<Hooks>::before_user) == 0,
                   "work before user mode is asked for that no hook does");
        }
    }

private:
    [[gnu::always_inline]] static void expect(Frame& frame, bool holds, const char* otherwise) {
        if (!holds) [[unlikely]] {
            StateFault<Hooks>::tell(frame, otherwise);
        }
    }
};

}  // namespace kerntoll::entry
