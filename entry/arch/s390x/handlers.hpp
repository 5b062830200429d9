// SPDX-License-Identifier: MIT
// The functions that the stub calls.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/stub_calls.hpp"
#include "kerntoll/entry/syscall.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

/// Values of Cause.
namespace cause {
inline constexpr Cause code = 0xffff;
/// In the code: there was a tracing event, alone or beside it.
inline constexpr Cause tracing = CAUSE_TRACING;
inline constexpr Cause protection = 4;        ///< the code of a page that may not be accessed so
inline constexpr unsigned length_shift = 16;  ///< bytes of a program check's instruction, 8 bits
inline constexpr Cause external = Cause{1} << CAUSE_EXTERNAL_BIT;
}  // namespace cause

/// Bytes of the instruction that a program check concerns.
[[gnu::always_inline]] constexpr uintptr_t length(Cause cause) {
    return cause >> cause::length_shift & 0xffU;
}

/// What KERNTOLL_ENTRY_HANDLERS defines for the stub, as templates.
template <Policy policy, HooksType Hooks>
struct Handlers {
    using Syscalls = SyscallPath<policy, Hooks>;
    using Interrupts = InterruptPath<policy, Hooks>;

    static_assert(
        policy.vector == Vector{},
        "vector=likely and vector=table have no meaning on s390x, where the machine itself "
        "tells a system call from the rest; leave the axis out");
    static_assert(policy.branch_protection == Switched::off,
                  "branch_protection=on: s390x has no landing pads; leave it off");
    static_assert(Hooks::call_count <= 0xffff,
                  "numbers of calls have 16 bits on s390x, and the highest is the one that no call "
                  "has; let Hooks::call_count be 65535 at most");

    /// From user mode: `frame` lies below its Thread. Interrupts are off, in and out.
    [[gnu::always_inline]] static void call(Frame& frame) {
        Syscalls::run(frame, thread_of(frame));
    }
    static void from_user(Frame& frame, Cause cause) {
        if ((cause & cause::external) != 0) {
            Interrupts::interrupt_from_user(frame, cause);
        } else {
            // Unlike that of a page that is not there, its PSW is behind the instruction. Whoever
            // mends the page wants to have it run again, as Linux does.
            if ((cause & cause::code & ~cause::tracing) == cause::protection) {
                frame.address -= length(cause);
            }
            Interrupts::exception_from_user(frame, cause);
        }
    }

    /// From the kernel, whose frame lies anywhere on its stack.
    static void from_kernel(Frame& frame, Cause cause) {
        if ((cause & cause::external) != 0) {
            Interrupts::interrupt_from_kernel(frame, cause);
        } else {
            Interrupts::exception_from_kernel(frame, cause);
        }
    }
};

}  // namespace kerntoll::entry

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a template cannot define symbols for the stub.
/// Defines what the stub calls, once in a kernel. The contracts stand above each call in stub.S.
#define KERNTOLL_ENTRY_HANDLERS(policy, Hooks)  \
    KERNTOLL_ENTRY_CHECK_POLICY(policy)         \
    KERNTOLL_ENTRY_TRAP_HANDLERS(policy, Hooks) \
    KERNTOLL_ENTRY_CALL_HANDLERS(policy, Hooks)
// NOLINTEND(cppcoreguidelines-macro-usage)
