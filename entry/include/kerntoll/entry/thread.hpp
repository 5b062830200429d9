// SPDX-License-Identifier: MIT
// What the entry path knows of a task: its two flag words and where it runs.
#pragma once

#include <stdint.h>

namespace kerntoll::entry {

/// Bits that ask for something to be done. Whoever sets one may be an interrupt or another CPU. A
/// bit that has no name below asks for nothing, but is not free: where any work at all is looked
/// for, a word is tested as a whole, which spares the mask.
using WorkWord = uint32_t;

/// Thread::syscall_work: what concerns system calls alone. Looked at when a call enters and when it
/// leaves, with interrupts on: once each where there is nothing to do. What there is is read, once,
/// where it is done, so that a bit that came or went since is seen there (slow.hpp). A call with a
/// lazy frame that finds exit work looks once more, when its frame is complete.
namespace syscall_work {
// seccomp, which has nothing to do at the end of a call, comes first: on_exit is then a run of
// ones, which arm64 tests for with one instruction.
inline constexpr WorkWord seccomp = 1U << 0U;
inline constexpr WorkWord user_dispatch = 1U << 1U;  ///< prctl(PR_SET_SYSCALL_USER_DISPATCH)
inline constexpr WorkWord ptrace = 1U << 2U;         ///< a tracer stops the task
inline constexpr WorkWord tracepoint = 1U << 3U;     ///< a call is recorded
inline constexpr WorkWord audit = 1U << 4U;          ///< a call is logged
/// The call that was dispatched needs every register of the user (fork, return from a signal) and
/// waits to be run in full: what the table's function left for Hooks::whole_frame_call().
inline constexpr WorkWord whole_frame_call = 1U << 5U;
/// User dispatch gave the call back to the user: nobody traces its end. A bit of the word and not a
/// mark beside it, so that the end of this very call sees it and takes it down, whoever else has
/// work there by then: left over, it would hide the end of a later call.
inline constexpr WorkWord given_to_user = 1U << 6U;

/// All that can be set when a call enters: the last two come and go within one.
inline constexpr WorkWord on_enter = user_dispatch | ptrace | seccomp | tracepoint | audit;
inline constexpr WorkWord on_exit =
    user_dispatch | ptrace | tracepoint | audit | whole_frame_call | given_to_user;
inline constexpr WorkWord named = on_enter | on_exit;
}  // namespace syscall_work

/// Thread::exit_work: what must be done before the task sees user mode again, wherever it comes
/// from. Read with interrupts off, again and again until no bit is left.
namespace exit_work {
inline constexpr WorkWord reschedule = 1U << 0U;     ///< another task is to run
inline constexpr WorkWord uprobe = 1U << 1U;         ///< a probe in user code was hit
inline constexpr WorkWord signal = 1U << 2U;         ///< a signal waits
inline constexpr WorkWord notify_resume = 1U << 3U;  ///< rseq, and whoever else wants to know
inline constexpr WorkWord architecture = 1U << 4U;   ///< what only the port knows
inline constexpr WorkWord named = reschedule | uprobe | signal | notify_resume | architecture;
}  // namespace exit_work

/// Where a task is said to be (debug=on checks it).
enum class Context : uint8_t { kernel, user };

/// One task, as Linux's thread_info. It lies directly above its kernel stack, and the frame of an
/// entry from user mode directly below it, so that one address gives all three: the stubs need no
/// load to find the stack. Zero is a task that runs in the kernel and has nothing to do.
struct alignas(16) Thread {
    WorkWord syscall_work = 0;
    WorkWord exit_work = 0;
    uint32_t stack_offset = 0;  ///< random; the next call's stack is displaced by it
    Context context = Context::kernel;
    /// Of the stub: while it has no register (riscv64), or the frame's address (x86_64,
    /// tables.hpp).
    uintptr_t scratch = 0;
};

/// Whether a word asks for any of this, as it is now: the look that every call takes. What it asks
/// for is read where it is done (read_work()), out of line. The barrier has the compiler look here
/// and nowhere else, as a volatile read would; of that one gcc makes a load and a comparison, and
/// of this one a comparison with memory where the machine has it.
[[gnu::always_inline]] inline bool asks_for(const WorkWord& word, WorkWord bits = ~WorkWord{0}) {
    asm volatile("" : : : "memory");
    return (word & bits) != 0;
}
/// Reads a flag word once, as it is now, as Linux's READ_ONCE().
[[gnu::always_inline]] inline WorkWord read_work(const WorkWord& word) {
    return *const_cast<const volatile WorkWord*>(&word);
}
/// Asks for work.
[[gnu::always_inline]] inline void set_work(WorkWord& word, WorkWord bits) {
    __atomic_fetch_or(&word, bits, __ATOMIC_RELAXED);
}
/// Takes a request back, or down before it is carried out: one that comes meanwhile is not lost.
[[gnu::always_inline]] inline void clear_work(WorkWord& word, WorkWord bits) {
    __atomic_fetch_and(&word, ~bits, __ATOMIC_RELAXED);
}

}  // namespace kerntoll::entry
