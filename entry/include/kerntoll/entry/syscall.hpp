// SPDX-License-Identifier: MIT
// A system call's way through the kernel: enter, dispatch, exit. What every call needs is here and
// can be inlined; what few need is in slow.hpp, out of line always.
//
// The order is the one of Linux's generic entry (Documentation/core-api/entry.rst,
// include/linux/entry-common.h), and so are the two flag words.
#pragma once

#include "frame.hpp"
#include "kerntoll/entry/fast.h"
#include "kerntoll/entry/hooks.hpp"
#include "kerntoll/entry/policy.hpp"
#include "kerntoll/entry/slow.hpp"
#include "kerntoll/entry/state.hpp"
#include "kerntoll/entry/thread.hpp"
#include "port.hpp"

namespace kerntoll::entry {

/// How the part of a call that does not need the whole frame ended (frame=lazy).
enum class Fast : unsigned long {
    /// Everything; back to the user.
    done = KERNTOLL_ENTRY_FAST_DONE,
    /// There is work before the call: continue_enter() with the whole frame.
    enter = KERNTOLL_ENTRY_FAST_ENTER,
    /// There is work after it: continue_exit() with the whole frame.
    exit = KERNTOLL_ENTRY_FAST_EXIT,
};

/// The table of a kernel that has one. It is known to the compiler, and nothing is handed from step
/// to step.
template <HooksType Hooks>
struct OnlyTable {
    static constexpr size_t count = Hooks::call_count;
    [[gnu::always_inline]] const Call& operator[](unsigned long index) const {
        return Hooks::calls()[index];
    }
};
/// One of several tables, for ports that have calls of more than one kind.
struct CallTable {
    const Call* calls;
    size_t count;
    [[gnu::always_inline]] const Call& operator[](unsigned long index) const {
        return calls[index];
    }
};

// NOLINTBEGIN(cppcoreguidelines-macro-usage): see below.
/// Moves the stack of everything that is called from here on by a random multiple of 16 bytes, as
/// Linux's randomize_kstack_offset does. A macro like Linux's, since it has to stand in the
/// function that goes on to the call: of one that is inlined there Clang would put the stack back
/// at its end.
#define KERNTOLL_ENTRY_DISPLACE_STACK(thread)                           \
    if constexpr (policy.stack_offset == Switched::on) {                \
        void* const room = __builtin_alloca(draw_stack_offset(thread)); \
        asm volatile("" : : "r"(room) : "memory");                      \
    }
// NOLINTEND(cppcoreguidelines-macro-usage)

/// The way of a call, for a policy, an embedder and one of its tables.
template <Policy policy, HooksType Hooks, class Table = OnlyTable<Hooks>>
struct SyscallPath {
    using State = StateChecks<policy, Hooks>;
    using Slow = SlowWork<Hooks, policy.debug>;
    static constexpr bool has_work = policy.work == WorkWords::full;

    static_assert(policy.frame == FrameKind::full ||
                      (policy.enter == Inlining::inlined && policy.exit == Inlining::inlined &&
                       policy.common == Inlining::inlined),
                  "frame=lazy has one fast path, all of it inlined; leave enter, exit and common "
                  "at inlined, or choose frame=full");

    static_assert(policy.dispatch == Dispatch::by_table || policy.nospec == Nospec{},
                  "nospec=off: dispatch=switch has no table that a mask could guard; leave nospec "
                  "out, or choose dispatch=table");

    /// The whole of a call, from the stub's call of C to its return.
    /// In: interrupts off, on the task's kernel stack, `frame` complete and below `thread`.
    /// Out: interrupts off, nothing left to do, the result in the frame.
    [[gnu::always_inline]] static void run(Frame& frame, Thread& thread, Table table = {}) {
        KERNTOLL_ENTRY_DISPLACE_STACK(thread)
        const unsigned long index = begin(frame);
        common(frame, thread, index, table);
    }

    /// A call whose frame holds only what C may clobber. In and out as run(), but where it answers
    /// `enter` or `exit` the stub completes the frame and calls the function of that name.
    [[gnu::always_inline]] static Fast run_fast(Frame& frame, Thread& thread) {
        KERNTOLL_ENTRY_DISPLACE_STACK(thread)
        const unsigned long index = begin(frame);
        State::left_user(frame, thread);
        port::interrupts_on();
        if (has_work && asks_for(thread.syscall_work)) [[unlikely]] {
            return Fast::enter;
        }
        dispatch(frame, index, Table{});
        State::after_call(frame, thread);
        if (has_work && asks_for(thread.syscall_work, syscall_work::on_exit)) [[unlikely]] {
            return Fast::exit;
        }
        port::interrupts_off();
        if (has_work && asks_for(thread.exit_work)) [[unlikely]] {
            port::interrupts_on();
            return Fast::exit;
        }
        State::to_user(frame, thread);
        return Fast::done;
    }
    /// Goes on where run_fast() found work before the call. Interrupts are on.
    static void continue_enter(Frame& frame, Thread& thread) {
        KERNTOLL_ENTRY_DISPLACE_STACK(thread)
        dispatch(frame, Slow::enter(frame), Table{});
        exit_step(frame, thread);
    }
    /// Goes on where run_fast() found work after the call. Interrupts are on.
    static void continue_exit(Frame& frame, Thread& thread) { finish(frame, thread); }

private:
    /// By how many bytes this call's stack is displaced; the next one's will be by another number.
    [[gnu::always_inline]] static uint32_t draw_stack_offset(Thread& thread) {
        constexpr uint32_t most = 0x3f0;
        const uint32_t offset = thread.stack_offset & most;
        thread.stack_offset = port::stir(thread.stack_offset);
        return offset;
    }

    /// The result is that of a call that does not exist until somebody says otherwise: a number
    /// that is out of range and one that a tracer changed to -1 then need no case of their own.
    [[gnu::always_inline]] static unsigned long begin(Frame& frame) {
        const unsigned long index = index_of(port::number(frame));
        port::prepare(frame, no_such_call);
        return index;
    }

    // The three steps, each in the form that the policy asks for.

    [[gnu::always_inline]] static void common(Frame& frame, Thread& thread, unsigned long index,
                                              Table table) {
        if constexpr (policy.common == Inlining::outlined) {
            common_outlined(frame, thread, index, table);
        } else if constexpr (policy.common == Inlining::automatic) {
            common_automatic(frame, thread, index, table);
        } else {
            common_step(frame, thread, index, table);
        }
    }
    [[gnu::noinline]] static void common_outlined(Frame& frame, Thread& thread, unsigned long index,
                                                  Table table) {
        common_step(frame, thread, index, table);
    }
    static void common_automatic(Frame& frame, Thread& thread, unsigned long index, Table table) {
        common_step(frame, thread, index, table);
    }
    [[gnu::always_inline]] static void common_step(Frame& frame, Thread& thread,
                                                   unsigned long index, Table table) {
        dispatch(frame, enter(frame, thread, index), table);
        exit(frame, thread);
    }

    /// The index to dispatch: the one given, or what work made of it.
    [[gnu::always_inline]] static unsigned long enter(Frame& frame, Thread& thread,
                                                      unsigned long index) {
        if constexpr (policy.enter == Inlining::outlined) {
            return enter_outlined(frame, thread, index);
        } else if constexpr (policy.enter == Inlining::automatic) {
            return enter_automatic(frame, thread, index);
        } else {
            return enter_step(frame, thread, index);
        }
    }
    [[gnu::noinline]] static unsigned long enter_outlined(Frame& frame, Thread& thread,
                                                          unsigned long index) {
        return enter_step(frame, thread, index);
    }
    static unsigned long enter_automatic(Frame& frame, Thread& thread, unsigned long index) {
        return enter_step(frame, thread, index);
    }
    [[gnu::always_inline]] static unsigned long enter_step(Frame& frame, Thread& thread,
                                                           unsigned long index) {
        State::left_user(frame, thread);
        port::interrupts_on();
        if constexpr (has_work) {
            if (asks_for(thread.syscall_work)) [[unlikely]] {
                return Slow::enter(frame);
            }
        }
        return index;
    }

    [[gnu::always_inline]] static void exit(Frame& frame, Thread& thread) {
        if constexpr (policy.exit == Inlining::outlined) {
            exit_outlined(frame, thread);
        } else if constexpr (policy.exit == Inlining::automatic) {
            exit_automatic(frame, thread);
        } else {
            exit_step(frame, thread);
        }
    }
    [[gnu::noinline]] static void exit_outlined(Frame& frame, Thread& thread) {
        exit_step(frame, thread);
    }
    static void exit_automatic(Frame& frame, Thread& thread) { exit_step(frame, thread); }
    [[gnu::always_inline]] static void exit_step(Frame& frame, Thread& thread) {
        State::after_call(frame, thread);
        finish(frame, thread);
    }
    [[gnu::always_inline]] static void finish(Frame& frame, Thread& thread) {
        if constexpr (has_work) {
            if (asks_for(thread.syscall_work, syscall_work::on_exit)) [[unlikely]] {
                Slow::exit(frame);
            }
        }
        port::interrupts_off();
        exit_to_user<policy, Hooks>(frame, thread);
    }

    /// Runs the call of that number, if there is one.
    [[gnu::always_inline]] static void dispatch(Frame& frame, unsigned long index, Table table) {
        if constexpr (policy.dispatch == Dispatch::by_switch) {
            static_assert(
                HasSwitch<Hooks>,
                "dispatch=switch needs void Hooks::call_by_switch(Frame&, unsigned long)");
            if (table.count != 0) {
                Hooks::call_by_switch(frame, index);
            }
        } else {
            const bool exists = policy.nospec == Nospec::mask ? port::is_inside(index, table.count)
                                                              : index < table.count;
            if (exists) [[likely]] {
                port::set_result(frame, table[index](frame));
            }
        }
    }
};

#undef KERNTOLL_ENTRY_DISPLACE_STACK

}  // namespace kerntoll::entry
