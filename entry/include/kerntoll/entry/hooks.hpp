// SPDX-License-Identifier: MIT
// What an embedder brings: a type whose static members are the tracer, the scheduler and so on.
// Members that a kernel has no use for are left out; those that are there must have the signature
// that this file states.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

/// A system call: reads its arguments from the frame and returns its result, or a negative error
/// number. Runs with interrupts on.
using Call = long (*)(Frame&);

namespace detail {
template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;
template <class A, class B>
concept Same = same<A, B>;

template <class A>
concept Truth = Same<A, bool>;
template <class A>
concept Nothing = Same<A, void>;
}  // namespace detail

/// What every embedder must bring.
///
///     static constexpr size_t call_count;                // numbers are 0 … call_count - 1
///     static const Call (&calls())[call_count];          // dispatch=table
///     static void exception(Frame&, Thread&, Cause);     // from user mode, interrupts off; may
///                                                        // turn them on
///     static void kernel_exception(Frame&, Cause);       // from the kernel, interrupts off
///     static void interrupt(Frame&, Cause);              // interrupts off
template <class H>
concept RequiredHooks = requires(Frame& frame, Thread& thread, Cause cause) {
    { H::call_count + size_t{} } -> detail::Same<size_t>;
    { H::calls()[0] } -> detail::Same<const Call&>;
    { H::exception(frame, thread, cause) } -> detail::Nothing;
    { H::kernel_exception(frame, cause) } -> detail::Nothing;
    { H::interrupt(frame, cause) } -> detail::Nothing;
};

// One concept per optional member: whether it is there at all.
#define KERNTOLL_OPTIONAL_HOOK(Name, member) \
    template <class H>                       \
    concept Name = requires { &H::member; };
KERNTOLL_OPTIONAL_HOOK(HasLeftUser, left_user)
KERNTOLL_OPTIONAL_HOOK(HasToUser, to_user)
KERNTOLL_OPTIONAL_HOOK(HasUserDispatch, user_dispatch)
KERNTOLL_OPTIONAL_HOOK(HasPtraceEnter, ptrace_enter)
KERNTOLL_OPTIONAL_HOOK(HasPtraceExit, ptrace_exit)
KERNTOLL_OPTIONAL_HOOK(HasSeccomp, seccomp)
KERNTOLL_OPTIONAL_HOOK(HasTracepointEnter, tracepoint_enter)
KERNTOLL_OPTIONAL_HOOK(HasTracepointExit, tracepoint_exit)
KERNTOLL_OPTIONAL_HOOK(HasAuditEnter, audit_enter)
KERNTOLL_OPTIONAL_HOOK(HasAuditExit, audit_exit)
KERNTOLL_OPTIONAL_HOOK(HasRseqCheck, rseq_check)
KERNTOLL_OPTIONAL_HOOK(HasReschedule, reschedule)
KERNTOLL_OPTIONAL_HOOK(HasUprobe, uprobe)
KERNTOLL_OPTIONAL_HOOK(HasSignal, signal)
KERNTOLL_OPTIONAL_HOOK(HasNotifyResume, notify_resume)
KERNTOLL_OPTIONAL_HOOK(HasArchitectureWork, architecture_work)
KERNTOLL_OPTIONAL_HOOK(HasWholeFrameCall, whole_frame_call)
KERNTOLL_OPTIONAL_HOOK(HasStateFault, state_fault)
KERNTOLL_OPTIONAL_HOOK(HasSwitch, call_by_switch)
#undef KERNTOLL_OPTIONAL_HOOK

/// The optional members of H have these signatures:
///
///     // Interrupts off, before and after everything else in the kernel (context tracking).
///     static void left_user(Thread&);
///     static void to_user(Thread&);
///     // Work of a call's entry, in this order. true: go on; false: the call is skipped, and its
///     // result is what the hook left in the frame. user_dispatch alone answers the other
///     // question: whether the call goes back to the user.
///     static bool user_dispatch(Frame&, Thread&);
///     static bool ptrace_enter(Frame&, Thread&);
///     static bool seccomp(Frame&, Thread&);
///     static void tracepoint_enter(Frame&, Thread&, long number);
///     static void audit_enter(Frame&, Thread&, long number);
///     // Work of its end, in this order. whole_frame_call runs the call that asked for it.
///     static void whole_frame_call(Frame&, Thread&);
///     static void audit_exit(Frame&, Thread&);
///     static void tracepoint_exit(Frame&, Thread&);
///     static void ptrace_exit(Frame&, Thread&);
///     static void rseq_check(Frame&, Thread&);           // debug=on: a call inside a rseq section
///     // Work before user mode, in this order, with interrupts on. Its bit is taken down before.
///     static void reschedule(Thread&);
///     static void uprobe(Frame&, Thread&);
///     static void signal(Frame&, Thread&);
///     static void notify_resume(Frame&, Thread&);
///     static void architecture_work(Frame&, Thread&);
///     // debug=on: the state is not what it must be; `what` is a sentence.
///     static void state_fault(Frame&, const char* what);
///     // dispatch=switch: whether there is such a call; it has been run and its result set.
///     static bool call_by_switch(Frame&, unsigned long number);
template <class H>
concept OptionalHooks = requires(Frame& f, Thread& t, long number, const char* what) {
    requires !HasLeftUser<H> || requires {
        { H::left_user(t) } -> detail::Nothing;
    };
    requires !HasToUser<H> || requires {
        { H::to_user(t) } -> detail::Nothing;
    };
    requires !HasUserDispatch<H> || requires {
        { H::user_dispatch(f, t) } -> detail::Truth;
    };
    requires !HasPtraceEnter<H> || requires {
        { H::ptrace_enter(f, t) } -> detail::Truth;
    };
    requires !HasPtraceExit<H> || requires {
        { H::ptrace_exit(f, t) } -> detail::Nothing;
    };
    requires !HasSeccomp<H> || requires {
        { H::seccomp(f, t) } -> detail::Truth;
    };
    requires !HasTracepointEnter<H> || requires {
        { H::tracepoint_enter(f, t, number) } -> detail::Nothing;
    };
    requires !HasTracepointExit<H> || requires {
        { H::tracepoint_exit(f, t) } -> detail::Nothing;
    };
    requires !HasAuditEnter<H> || requires {
        { H::audit_enter(f, t, number) } -> detail::Nothing;
    };
    requires !HasAuditExit<H> || requires {
        { H::audit_exit(f, t) } -> detail::Nothing;
    };
    requires !HasRseqCheck<H> || requires {
        { H::rseq_check(f, t) } -> detail::Nothing;
    };
    requires !HasReschedule<H> || requires {
        { H::reschedule(t) } -> detail::Nothing;
    };
    requires !HasUprobe<H> || requires {
        { H::uprobe(f, t) } -> detail::Nothing;
    };
    requires !HasSignal<H> || requires {
        { H::signal(f, t) } -> detail::Nothing;
    };
    requires !HasNotifyResume<H> || requires {
        { H::notify_resume(f, t) } -> detail::Nothing;
    };
    requires !HasArchitectureWork<H> || requires {
        { H::architecture_work(f, t) } -> detail::Nothing;
    };
    requires !HasWholeFrameCall<H> || requires {
        { H::whole_frame_call(f, t) } -> detail::Nothing;
    };
    requires !HasStateFault<H> || requires {
        { H::state_fault(f, what) } -> detail::Nothing;
    };
    requires !HasSwitch<H> || requires {
        { H::call_by_switch(f, 0UL) } -> detail::Truth;
    };
};

/// What an embedder brings: all that is required, and of the rest what it has a use for.
template <class H>
concept HooksType = RequiredHooks<H> && OptionalHooks<H>;

}  // namespace kerntoll::entry
