// SPDX-License-Identifier: MIT
// The functions that the stub calls.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/stub_calls.hpp"
#include "kerntoll/entry/syscall.hpp"
#include "kerntoll/entry/thread.hpp"
#include "sysret.hpp"

#if KERNTOLL_branch_protection_on == 1 && (!defined __CET__ || (__CET__ & 1) == 0)
#error "branch_protection=on needs -fcf-protection=branch, for C++ and assembly (the file flags)"
#endif

namespace kerntoll::entry {

/// How the stub ends a call of which it saved only what C may clobber (frame=lazy).
enum class FastEnd : unsigned long {
    sysret = static_cast<unsigned long>(Fast::done),
    enter = static_cast<unsigned long>(Fast::enter),
    exit = static_cast<unsigned long>(Fast::exit),
    iret = FAST_IRET,  ///< done, but SYSRET cannot return to this state
};

/// What KERNTOLL_ENTRY_HANDLERS defines for the stub, as templates.
template <Policy policy, HooksType Hooks>
struct Handlers {
    using Syscalls = SyscallPath<policy, Hooks>;
    using Interrupts = InterruptPath<policy, Hooks>;

    static_assert(
        policy.vector == Vector::chain,
        "vector=likely and vector=table have nothing to choose on x86_64, whose processor "
        "itself tells calls, exceptions and interrupts apart; leave it at vector=chain");

    // Each of the following gets a frame that lies below its Thread, with interrupts off, in and
    // out.

    /// A call, whose frame is complete. Whether SYSRET may end it.
    [[gnu::always_inline]] static bool call(Frame& frame) {
        Syscalls::run(frame, thread_of(frame));
        return may_sysret(frame);
    }
    [[gnu::always_inline]] static FastEnd call_fast(Frame& frame) {
        const Fast end = Syscalls::run_fast(frame, thread_of(frame));
        // The stub gave the rest of the state its values, and takes it from the same places.
        if (end == Fast::done && !sysret_is_safe({.rip = frame.rip,
                                                  .rflags = frame.rflags,
                                                  .rcx = frame.rip,
                                                  .r11 = frame.rflags,
                                                  .cs = USER_CS,
                                                  .ss = USER_SS},
                                                 limit)) [[unlikely]] {
            return FastEnd::iret;
        }
        return static_cast<FastEnd>(end);
    }
    [[gnu::always_inline]] static bool call_enter(Frame& frame) {
        Syscalls::continue_enter(frame, thread_of(frame));
        return may_sysret(frame);
    }
    [[gnu::always_inline]] static bool call_exit(Frame& frame) {
        Syscalls::continue_exit(frame, thread_of(frame));
        return may_sysret(frame);
    }

    /// An interrupt or an exception from user mode.
    [[gnu::always_inline]] static void from_user(Frame& frame, Cause cause) {
        if (cause < VECTOR_EXCEPTIONS) {
            Interrupts::exception_from_user(frame, cause);
        } else {
            Interrupts::interrupt_from_user(frame, cause);
        }
    }
    /// From the kernel, whose frame lies anywhere on its stack; and an NMI, wherever it comes from.
    [[gnu::always_inline]] static void from_kernel(Frame& frame, Cause cause) {
        if (cause < VECTOR_EXCEPTIONS && cause != VECTOR_NMI) {
            Interrupts::exception_from_kernel(frame, cause);
        } else {
            Interrupts::interrupt_from_kernel(frame, cause);
        }
    }

private:
    /// The first address that no user program may execute. An embedder may know a lower one. This
    /// one is a page below the canonical border, as Linux has it.
    static constexpr uintptr_t limit = [] {
        if constexpr (HasUserLimit<Hooks>) {
            static_assert(Hooks::user_limit < uintptr_t{1} << 47U,
                          "Hooks::user_limit must be a canonical address of the user's half");
            return uintptr_t{Hooks::user_limit};
        } else {
            return (uintptr_t{1} << 47U) - 4096;
        }
    }();

    [[gnu::always_inline]] static bool may_sysret(const Frame& frame) {
        return sysret_is_safe({.rip = frame.rip,
                               .rflags = frame.rflags,
                               .rcx = frame.rcx,
                               .r11 = frame.r11,
                               .cs = frame.cs,
                               .ss = frame.ss},
                              limit);
    }
};

}  // namespace kerntoll::entry

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a template cannot define symbols for the stub.
/// Defines what the stub calls, once in a kernel. The contracts stand above each call in stub.S.
#define KERNTOLL_ENTRY_HANDLERS(policy, Hooks)  \
    KERNTOLL_ENTRY_CHECK_POLICY(policy)         \
    KERNTOLL_ENTRY_TRAP_HANDLERS(policy, Hooks) \
    KERNTOLL_ENTRY_SYSCALL_HANDLERS(policy, Hooks)
#if KERNTOLL_frame_lazy == 1
#define KERNTOLL_ENTRY_SYSCALL_HANDLERS(policy, Hooks)                                            \
    extern "C" kerntoll::entry::FastEnd kerntoll_entry_call_fast(kerntoll::entry::Frame& frame) { \
        return kerntoll::entry::Handlers<policy, Hooks>::call_fast(frame);                        \
    }                                                                                             \
    extern "C" bool kerntoll_entry_call_enter(kerntoll::entry::Frame& frame) {                    \
        return kerntoll::entry::Handlers<policy, Hooks>::call_enter(frame);                       \
    }                                                                                             \
    extern "C" bool kerntoll_entry_call_exit(kerntoll::entry::Frame& frame) {                     \
        return kerntoll::entry::Handlers<policy, Hooks>::call_exit(frame);                        \
    }
#else
#define KERNTOLL_ENTRY_SYSCALL_HANDLERS(policy, Hooks)                   \
    extern "C" bool kerntoll_entry_call(kerntoll::entry::Frame& frame) { \
        return kerntoll::entry::Handlers<policy, Hooks>::call(frame);    \
    }
#endif
// NOLINTEND(cppcoreguidelines-macro-usage)
