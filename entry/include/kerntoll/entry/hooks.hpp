// SPDX-License-Identifier: MIT
// What an embedder brings: a type whose static members are the tracer, the scheduler and so on.
// Members that a kernel has no use for are left out. Those that are there have exactly the type
// that this file states, or `noexcept` beside it: a member that could only be called by converting
// what it is told (a number cut to an int, a copy of the frame), an overload set, a template or a
// private member is an error, and never taken for one that is not there. A misspelt one cannot be
// told from a function of the embedder's own, so its bit does nothing; seccomp's then lets no call
// through.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

/// A system call: reads its arguments from the frame and returns its result, or a negative error
/// number. Runs with interrupts on.
using Call = long (*)(Frame&);

// The optional members, as HOOK(concept that it is there, name, type).
#define KERNTOLL_OPTIONAL_HOOKS(HOOK)                                       \
    HOOK(HasLeftUser, left_user, void(Thread&))                             \
    HOOK(HasToUser, to_user, void(Thread&))                                 \
    HOOK(HasUserDispatch, user_dispatch, bool(Frame&, Thread&))             \
    HOOK(HasPtraceEnter, ptrace_enter, bool(Frame&, Thread&))               \
    HOOK(HasPtraceExit, ptrace_exit, void(Frame&, Thread&))                 \
    HOOK(HasSeccomp, seccomp, bool(Frame&, Thread&))                        \
    HOOK(HasTracepointEnter, tracepoint_enter, void(Frame&, Thread&, long)) \
    HOOK(HasTracepointExit, tracepoint_exit, void(Frame&, Thread&))         \
    HOOK(HasAuditEnter, audit_enter, void(Frame&, Thread&, long))           \
    HOOK(HasAuditExit, audit_exit, void(Frame&, Thread&))                   \
    HOOK(HasRseqCheck, rseq_check, void(Frame&, Thread&))                   \
    HOOK(HasReschedule, reschedule, void(Thread&))                          \
    HOOK(HasUprobe, uprobe, void(Frame&, Thread&))                          \
    HOOK(HasSignal, signal, void(Frame&, Thread&))                          \
    HOOK(HasNotifyResume, notify_resume, void(Frame&, Thread&))             \
    HOOK(HasArchitectureWork, architecture_work, void(Frame&, Thread&))     \
    HOOK(HasWholeFrameCall, whole_frame_call, void(Frame&, Thread&))        \
    HOOK(HasStateFault, state_fault, void(Frame&, const char*))             \
    HOOK(HasSwitch, call_by_switch, void(Frame&, unsigned long))            \
    HOOK(HasUserLimit, user_limit, const uintptr_t)

namespace detail {
template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;
template <class A, class B>
concept Same = same<A, B>;

/// Whether a pointer to a member is one to a static member of that type.
template <class Pointer, class Type>
inline constexpr bool has_form = same<Pointer, Type*>;
template <class R, class... A>
inline constexpr bool has_form<R (*)(A...) noexcept, R(A...)> = true;

/// A type in which each of the names is ambiguous that H has too, whatever it is there: a function,
/// several of them, a template, private.
struct Names {
#define KERNTOLL_OPTIONAL_HOOK(Name, member, ...) char member;
    KERNTOLL_OPTIONAL_HOOKS(KERNTOLL_OPTIONAL_HOOK)
#undef KERNTOLL_OPTIONAL_HOOK
};
template <class H>
struct WithNames : H, Names {};
/// Whether WithNames can be made of H; an error where not.
template <class H>
struct Open {
    static constexpr bool value = __is_class(H) && !__is_final(H);
    static_assert(value,
                  "the type of the hooks is to be a struct or a class that is not final: the entry "
                  "path derives from it to see which hooks are there; leave `final` out");
};
}  // namespace detail

/// What every embedder must bring.
///
///     static constexpr size_t call_count;                // numbers are 0 … call_count - 1
///     static const Call (&calls())[call_count];          // their functions; with dispatch=switch,
///                                                        // too, though nothing calls them there
///     static void exception(Frame&, Thread&, Cause);     // from user mode, interrupts off; may
///                                                        // turn them on
///     static void kernel_exception(Frame&, Cause);       // from the kernel, interrupts off
///     static void interrupt(Frame&, Cause);              // interrupts off
///
/// On x86_64, kernel_exception never returns from vectors 1, 8 and 18 (#DB, #DF, #MC), whose stack
/// another may use. It then runs with anybody's gs, so a kernel must not look for its data of this
/// CPU there. After a machine check of user mode, which goes to `exception`, MCIP in MCG_STATUS is
/// the embedder's to clear, or the next one shuts the machine down.
///
/// x86_64's NMI (vector 2) comes to `interrupt`, between any two instructions, on a stack of one
/// page (IST). There it must not fault, take locks or turn interrupts on. No exit work follows:
/// what it asks for waits for the next way to user mode, and for an idle or long-running user until
/// the next interrupt, which it may send to itself.
template <class H>
concept RequiredHooks =
    detail::has_form<decltype(&H::call_count), const size_t> &&
    requires {
        { H::calls() } -> detail::Same<const Call(&)[H::call_count]>;
    } && detail::has_form<decltype(&H::exception), void(Frame&, Thread&, Cause)> &&
    detail::has_form<decltype(&H::kernel_exception), void(Frame&, Cause)> &&
    detail::has_form<decltype(&H::interrupt), void(Frame&, Cause)>;

// One concept per optional member: whether there is anything of that name.
#define KERNTOLL_OPTIONAL_HOOK(Name, member, ...) \
    template <class H>                            \
    concept Name = detail::Open<H>::value && !requires { &detail::WithNames<H>::member; };
KERNTOLL_OPTIONAL_HOOKS(KERNTOLL_OPTIONAL_HOOK)
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
///     // dispatch=switch: runs the call of that number and sets its result. For a number that does
///     // not exist, which is also what a skipped call comes with, it must leave the frame alone:
///     // -ENOSYS stands there, or what the tracer or the filter that skipped the call answers.
///     static void call_by_switch(Frame&, unsigned long number);
///     // x86_64: the first address that a user may not execute, where a kernel knows a lower one
///     // than the canonical border. SYSRET returns to none beyond.
///     static constexpr uintptr_t user_limit;
#define KERNTOLL_OPTIONAL_HOOK(Name, member, ...) \
    &&(!Name<H> || detail::has_form<decltype(&H::member), __VA_ARGS__>)
template <class H>
concept OptionalHooks = true KERNTOLL_OPTIONAL_HOOKS(KERNTOLL_OPTIONAL_HOOK);
#undef KERNTOLL_OPTIONAL_HOOK
#undef KERNTOLL_OPTIONAL_HOOKS

/// What an embedder brings: all that is required, and of the rest what it has a use for.
template <class H>
concept HooksType = RequiredHooks<H> && OptionalHooks<H>;

}  // namespace kerntoll::entry
