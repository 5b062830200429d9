// SPDX-License-Identifier: MIT
// The functions that the stub calls, and how the class of an exception is found.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/syscall.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

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
        Thread& thread = thread_of(frame);
        if constexpr (policy.vector == Vector::likely) {
            if (cause::class_of(cause) == CLASS_CALL) [[likely]] {
                return call(frame, thread, cause);
            }
            other_class(frame, thread, cause);
        } else if constexpr (policy.vector == Vector::table) {
            table.by_class[cause::class_of(cause)](frame, thread, cause);
        } else {
            switch (cause::class_of(cause)) {
                case CLASS_CALL:
                    return call(frame, thread, cause);
                case instruction_abort:
                case misaligned_pc:
                case data_abort:
                case watchpoint:
                    return fault_with_address(frame, thread, cause);
                default:
                    return Interrupts::exception_from_user(frame, thread, cause);
            }
        }
    }
    /// One of 32-bit user code: calls have a table of their own, which is empty.
    [[gnu::always_inline]] static void from_user_32(Frame& frame, Cause cause) {
        Thread& thread = thread_of(frame);
        if (cause::class_of(cause) == CLASS_CALL_32) {
            Syscalls::run(frame, thread, CallTable{nullptr, 0});
        } else {
            other_class(frame, thread, cause);
        }
    }
    /// What has a vector of its own.
    [[gnu::always_inline]] static void other_from_user(Frame& frame, Cause cause) {
        if ((cause & cause::serror) != 0) {
            Interrupts::exception_from_user(frame, thread_of(frame), cause);
        } else {
            Interrupts::interrupt_from_user(frame, thread_of(frame), cause);
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

    [[gnu::always_inline]] static Thread& thread_of(Frame& frame) {
        return *reinterpret_cast<Thread*>(&frame + 1);
    }

private:
    // Classes whose FAR_EL1 means something.
    static constexpr size_t instruction_abort = 0x20;
    static constexpr size_t misaligned_pc = 0x22;
    static constexpr size_t data_abort = 0x24;
    static constexpr size_t watchpoint = 0x34;

    static constexpr bool has_address(size_t number) {
        return number == instruction_abort || number == misaligned_pc || number == data_abort ||
               number == watchpoint;
    }

    using Handler = void (*)(Frame&, Thread&, Cause);
    struct Table {
        Handler by_class[cause::classes];
    };

    [[gnu::always_inline]] static void call(Frame& frame, Thread& thread, Cause /*cause*/) {
        Syscalls::run(frame, thread, CallTable{Hooks::calls(), Hooks::call_count});
    }
    static void call_from_table(Frame& frame, Thread& thread, Cause cause) {
        call(frame, thread, cause);
    }
    /// The address must be read before another exception can replace it.
    static void fault_with_address(Frame& frame, Thread& thread, Cause cause) {
        asm volatile("mrs %0, far_el1" : "=r"(frame.fault_address));
        Interrupts::exception_from_user(frame, thread, cause);
    }
    [[gnu::noinline, gnu::cold]] static void other_class(Frame& frame, Thread& thread,
                                                         Cause cause) {
        if (has_address(cause::class_of(cause))) {
            fault_with_address(frame, thread, cause);
        } else {
            Interrupts::exception_from_user(frame, thread, cause);
        }
    }

    static constexpr Table table = [] {
        Table all{};
        for (size_t number = 0; number < cause::classes; ++number) {
            all.by_class[number] =
                has_address(number) ? fault_with_address : Interrupts::exception_from_user;
        }
        all.by_class[CLASS_CALL] = call_from_table;
        return all;
    }();
};

}  // namespace kerntoll::entry

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a template cannot define symbols for the stub.
/// Defines what the stub calls, once in a kernel. The contracts stand above each call in stub.S.
#define KERNTOLL_ENTRY_HANDLERS(policy, Hooks)                                     \
    extern "C" void kerntoll_entry_from_user(kerntoll::entry::Frame& frame,        \
                                             kerntoll::entry::Cause cause) {       \
        kerntoll::entry::Handlers<policy, Hooks>::from_user(frame, cause);         \
    }                                                                              \
    extern "C" void kerntoll_entry_from_user_32(kerntoll::entry::Frame& frame,     \
                                                kerntoll::entry::Cause cause) {    \
        kerntoll::entry::Handlers<policy, Hooks>::from_user_32(frame, cause);      \
    }                                                                              \
    extern "C" void kerntoll_entry_other_from_user(kerntoll::entry::Frame& frame,  \
                                                   kerntoll::entry::Cause cause) { \
        kerntoll::entry::Handlers<policy, Hooks>::other_from_user(frame, cause);   \
    }                                                                              \
    extern "C" void kerntoll_entry_from_kernel(kerntoll::entry::Frame& frame,      \
                                               kerntoll::entry::Cause cause) {     \
        kerntoll::entry::Handlers<policy, Hooks>::from_kernel(frame, cause);       \
    }                                                                              \
    KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)
#ifdef KERNTOLL_frame_lazy
#define KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)                                            \
    extern "C" kerntoll::entry::Fast kerntoll_entry_call_fast(kerntoll::entry::Frame& frame) { \
        return kerntoll::entry::SyscallPath<policy, Hooks>::run_fast(                          \
            frame, kerntoll::entry::Handlers<policy, Hooks>::thread_of(frame));                \
    }                                                                                          \
    extern "C" void kerntoll_entry_call_enter(kerntoll::entry::Frame& frame) {                 \
        kerntoll::entry::SyscallPath<policy, Hooks>::continue_enter(                           \
            frame, kerntoll::entry::Handlers<policy, Hooks>::thread_of(frame));                \
    }                                                                                          \
    extern "C" void kerntoll_entry_call_exit(kerntoll::entry::Frame& frame) {                  \
        kerntoll::entry::SyscallPath<policy, Hooks>::continue_exit(                            \
            frame, kerntoll::entry::Handlers<policy, Hooks>::thread_of(frame));                \
    }
#else
#define KERNTOLL_ENTRY_LAZY_HANDLERS(policy, Hooks)
#endif
// NOLINTEND(cppcoreguidelines-macro-usage)
