// SPDX-License-Identifier: MIT
// The functions that the stub calls, and how the class of an exception is found.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/stub_calls.hpp"
#include "kerntoll/entry/syscall.hpp"
#include "kerntoll/entry/thread.hpp"

#if KERNTOLL_branch_protection_on == 1 && \
    (!defined __ARM_FEATURE_BTI_DEFAULT || !defined __ARM_FEATURE_PAC_DEFAULT)
#error \
    "branch_protection=on needs -mbranch-protection=standard, for C++ and assembly (the file flags)"
#endif

namespace kerntoll::entry {

/// What KERNTOLL_ENTRY_HANDLERS defines for the stub, as templates.
template <Policy policy, HooksType Hooks>
struct Handlers {
    /// Both of the callers hand their table to the same common step.
    using Syscalls = SyscallPath<policy, Hooks, CallTable>;
    using Interrupts = InterruptPath<policy, Hooks>;

    static_assert(policy.frame == FrameKind::full || policy.vector == Vector::likely,
                  "frame=lazy finds the system call before anything else is saved, which is "
                  "vector=likely; choose that, or frame=full");

    // Each of the following gets a frame that lies below its Thread, with interrupts off, in and
    // out.

    /// A synchronous exception of 64-bit user code.
    [[gnu::always_inline]] static void from_user(Frame& frame, Cause cause) {
        if constexpr (policy.vector == Vector::likely) {
            if (cause::class_of(cause) == CLASS_CALL) [[likely]] {
                return call(frame, cause);
            }
            other_class(frame, cause);
        } else if constexpr (policy.vector == Vector::table) {
            table.by_class[cause::class_of(cause)](frame, cause);
            if constexpr (policy.branch_protection == Switched::on) {
                // A call between signature and check, as Linux would compile it, which keeps frame
                // pointers and so makes no call a jump.
                asm volatile("");
            }
        } else {
            // The hints keep the call's registers in place; they change nothing of the order.
            const size_t number = cause::class_of(cause);
            if (number < CLASS_CALL) [[unlikely]] {
                return Interrupts::exception_from_user(frame, cause);
            }
            if (number == CLASS_CALL) [[likely]] {
                return call(frame, cause);
            }
            other_class(frame, cause);
        }
    }
    /// One of 32-bit user code: calls have a table of their own, which is empty.
    [[gnu::always_inline]] static void from_user_32(Frame& frame, Cause cause) {
        if (cause::class_of(cause) == CLASS_CALL_32) {
            Syscalls::run(frame, thread_of(frame), CallTable{nullptr, 0});
        } else {
            other_class(frame, cause);
        }
    }
    /// What has a vector of its own. An SError is the kernel's business wherever it comes: it is
    /// masked in the kernel, so that the user who runs next would be blamed for the kernel's store.
    [[gnu::always_inline]] static void other_from_user(Frame& frame, Cause cause) {
        if ((cause & cause::serror) != 0) {
            Interrupts::exception_from_kernel(frame, cause);
        } else {
            Interrupts::interrupt_from_user(frame, cause);
        }
    }
    /// From the kernel, whose frame lies anywhere on its stack.
    [[gnu::always_inline]] static void from_kernel(Frame& frame, Cause cause) {
        if ((cause & (cause::irq | cause::fiq)) != 0) {
            Interrupts::interrupt_from_kernel(frame, cause);
        } else {
            Interrupts::exception_from_kernel(frame, cause);
        }
    }

private:
    static constexpr size_t instruction_abort = 0x20;
    static constexpr size_t data_abort = 0x24;

    static constexpr bool is_abort(size_t number) {
        return number == instruction_abort || number == data_abort;
    }

    using Handler = void (*)(Frame&, Cause);
    struct Table {
        Handler by_class[cause::classes];
    };

    [[gnu::always_inline]] static void call(Frame& frame, Cause /*cause*/) {
        Syscalls::run(frame, thread_of(frame), CallTable{Hooks::calls(), Hooks::call_count});
    }
    static void call_from_table(Frame& frame, Cause cause) { call(frame, cause); }

    /// The address must be read before another exception can replace it.
    [[gnu::noinline]] static void abort(Frame& frame, Cause cause) {
        asm volatile("mrs %0, far_el1" : "=r"(frame.fault_address));
        Interrupts::exception_from_user(frame, cause);
    }
    [[gnu::noinline, gnu::cold]] static void other_class(Frame& frame, Cause cause) {
        if (is_abort(cause::class_of(cause))) {
            abort(frame, cause);
        } else {
            Interrupts::exception_from_user(frame, cause);
        }
    }

    static constexpr Table table = [] {
        Table all{};
        for (size_t number = 0; number < cause::classes; ++number) {
            all.by_class[number] = is_abort(number) ? abort : Interrupts::exception_from_user;
        }
        all.by_class[CLASS_CALL] = call_from_table;
        return all;
    }();
};

}  // namespace kerntoll::entry

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a template cannot define symbols for the stub.
/// Defines what the stub calls, once in a kernel. The contracts stand above each call in stub.S.
#define KERNTOLL_ENTRY_HANDLERS(policy, Hooks)                                     \
    KERNTOLL_ENTRY_CHECK_POLICY(policy)                                            \
    KERNTOLL_ENTRY_TRAP_HANDLERS(policy, Hooks)                                    \
    extern "C" void kerntoll_entry_from_user_32(kerntoll::entry::Frame& frame,     \
                                                kerntoll::entry::Cause cause) {    \
        kerntoll::entry::Handlers<policy, Hooks>::from_user_32(frame, cause);      \
    }                                                                              \
    extern "C" void kerntoll_entry_other_from_user(kerntoll::entry::Frame& frame,  \
                                                   kerntoll::entry::Cause cause) { \
        kerntoll::entry::Handlers<policy, Hooks>::other_from_user(frame, cause);   \
    }                                                                              \
    KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)
// NOLINTEND(cppcoreguidelines-macro-usage)
