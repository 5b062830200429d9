// SPDX-License-Identifier: MIT
// What stands in for a stub: the entry of a call, by a function call.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/interrupt.hpp"
#include "kerntoll/entry/stub_calls.hpp"
#include "kerntoll/entry/syscall.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::entry {

namespace cause {
inline constexpr Cause user_call = 0;
}  // namespace cause

/// What KERNTOLL_ENTRY_HANDLERS defines for the stub, as templates.
template <Policy policy, HooksType Hooks>
struct Handlers {
    static_assert(policy.vector == Vector::chain,
                  "vector=likely and vector=table: hosted: has one kind of trap and nothing to "
                  "decode; leave vector out");
    static_assert(policy.frame == FrameKind::full,
                  "frame=lazy: hosted: has no stub that saves registers; leave frame out");
    static_assert(policy.branch_protection == Switched::off,
                  "branch_protection=on: hosted: runs in the lab's own kind of process, which is "
                  "built without; leave it out");

    /// A call: `frame` lies below its Thread and says number and arguments. Interrupts are off, in
    /// and out.
    [[gnu::always_inline]] static void from_user(Frame& frame) {
        SyscallPath<policy, Hooks>::run(frame, thread_of(frame));
    }
};

}  // namespace kerntoll::entry

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the same form as where a stub needs the symbols.
#define KERNTOLL_ENTRY_HANDLERS(policy, Hooks)                                \
    KERNTOLL_ENTRY_CHECK_POLICY(policy)                                       \
    extern "C" void kerntoll_entry_from_user(kerntoll::entry::Frame& frame) { \
        kerntoll::entry::Handlers<policy, Hooks>::from_user(frame);           \
    }
// NOLINTEND(cppcoreguidelines-macro-usage)
