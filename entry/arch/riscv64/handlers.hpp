// SPDX-License-Identifier: MIT
// The functions that the stub calls, and how the class of a trap is found.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/stub_calls.hpp"
#include "kerntoll/entry/syscall.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

/// Values of scause.
namespace cause {
inline constexpr Cause interrupt = Cause{1} << 63U;
inline constexpr Cause user_call = CAUSE_USER_CALL;
inline constexpr Cause exceptions = 16;  ///< the standard ones are below
}  // namespace cause

/// What KERNTOLL_ENTRY_HANDLERS defines for the stub, as templates.
template <Policy policy, HooksType Hooks>
struct Handlers {
    using Syscalls = SyscallPath<policy, Hooks>;
    using Interrupts = InterruptPath<policy, Hooks>;

    static_assert(policy.branch_protection == Switched::off,
                  "branch_protection=on: riscv64 has no landing pads in the baseline that this "
                  "port is built for; leave it off");
    static_assert(policy.frame == FrameKind::full || policy.vector == Vector::likely,
                  "frame=lazy finds the system call before anything else is saved, which is "
                  "vector=likely; choose that, or frame=full");

    /// From user mode: `frame` lies below its Thread. Interrupts are off, in and out.
    [[gnu::always_inline]] static void from_user(Frame& frame, Cause cause) {
        if constexpr (policy.vector == Vector::likely) {
            if (cause == cause::user_call) [[likely]] {
                return call(frame, cause);
            }
            other(frame, cause);
        } else if constexpr (policy.vector == Vector::table) {
            if ((cause & cause::interrupt) != 0) {
                return Interrupts::interrupt_from_user(frame, cause);
            }
            if (cause < cause::exceptions) [[likely]] {
                return table.by_cause[cause](frame, cause);
            }
            Interrupts::exception_from_user(frame, cause);
        } else {
            // The numbers of interrupts are the largest. The hints keep the call's registers in
            // place; they change nothing of the order.
            if (cause < cause::user_call) [[unlikely]] {
                return Interrupts::exception_from_user(frame, cause);
            }
            if (cause == cause::user_call) [[likely]] {
                return call(frame, cause);
            }
            other(frame, cause);
        }
    }

    /// From the kernel, whose frame lies anywhere on its stack.
    [[gnu::always_inline]] static void from_kernel(Frame& frame, Cause cause) {
        if ((cause & cause::interrupt) != 0) {
            Interrupts::interrupt_from_kernel(frame, cause);
        } else {
            Interrupts::exception_from_kernel(frame, cause);
        }
    }

private:
    using Handler = void (*)(Frame&, Cause);
    struct Table {
        Handler by_cause[cause::exceptions];
    };

    [[gnu::always_inline]] static void call(Frame& frame, Cause /*cause*/) {
        Syscalls::run(frame, thread_of(frame));
    }
    static void call_from_table(Frame& frame, Cause cause) { call(frame, cause); }
    [[gnu::noinline, gnu::cold]] static void other(Frame& frame, Cause cause) {
        if ((cause & cause::interrupt) != 0) {
            Interrupts::interrupt_from_user(frame, cause);
        } else {
            Interrupts::exception_from_user(frame, cause);
        }
    }

    static constexpr Table table = [] {
        Table all{};
        for (Handler& handler : all.by_cause) {
            handler = Interrupts::exception_from_user;
        }
        all.by_cause[cause::user_call] = call_from_table;
        return all;
    }();
};

}  // namespace kerntoll::entry

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a template cannot define symbols for the stub.
/// Defines what the stub calls, once in a kernel. The contracts stand above each call in stub.S.
#define KERNTOLL_ENTRY_HANDLERS(policy, Hooks)  \
    KERNTOLL_ENTRY_CHECK_POLICY(policy)         \
    KERNTOLL_ENTRY_TRAP_HANDLERS(policy, Hooks) \
    KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)
// NOLINTEND(cppcoreguidelines-macro-usage)
