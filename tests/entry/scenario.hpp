// SPDX-License-Identifier: MIT
// What may happen to one task on two ways through the kernel, one after the other: what its
// tracers, filters and handlers are going to do, and what comes in between. Both the entry path and
// the model that it is compared with act a scenario out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kerntoll/entry/thread.hpp"

namespace kerntoll::test {

/// Who takes part. Those from user_dispatch to audit_enter are asked before the call, in this
/// order.
enum class Party : std::uint8_t {
    left_user,
    user_dispatch,
    ptrace_enter,
    seccomp,
    tracepoint_enter,
    audit_enter,
    call,
    rseq_check,
    whole_frame_call,
    audit_exit,
    tracepoint_exit,
    ptrace_exit,
    reschedule,
    uprobe,
    signal,
    notify_resume,
    architecture_work,
    to_user,
    state_fault,
    interrupt,         ///< from user mode or from the kernel
    exception,         ///< from user mode
    kernel_exception,  ///< one that is expected, such as a user copy's
};
inline constexpr std::size_t party_count = 22;
[[nodiscard]] const char* name(Party party);

/// What a party does when its turn comes.
struct Act {
    bool says_no = false;  ///< the first time: skips the call; of user_dispatch: takes it
    bool changes_number = false;
    long number = 0;
    bool changes_result = false;
    long result = 0;
    entry::WorkWord asks_syscall_work = 0;
    entry::WorkWord asks_exit_work = 0;
    entry::WorkWord drops_syscall_work = 0;  ///< before it asks for any
    entry::WorkWord drops_exit_work = 0;
    std::uint8_t times = 1;       ///< how often it asks for work; afterwards it asks for none
    bool restarts = false;        ///< takes the call back, as a signal may
    bool interrupts_off = false;  ///< leaves them off behind it
    bool interrupts_on = false;   ///< of an exception's handler: turns them on
    bool faults = false;          ///< runs into a fault that the kernel expects
    bool is_interrupted = false;  ///< by an interrupt, where they are on; after all that
};

/// How the kernel is entered.
enum class Way : std::uint8_t {
    call,
    interrupt,
    exception,
    begin,  ///< by nothing: a task on its first way to user mode
};

/// Numbers from 0 that exist.
inline constexpr std::size_t calls = 7;

struct Scenario {
    entry::WorkWord syscall_work = 0;
    entry::WorkWord exit_work = 0;
    long number = 0;
    long second_number = 0;  ///< of a call after it: what is left over from one shows in the next
    Way way = Way::call;
    Way second_way = Way::call;
    std::uint32_t stack_offset = 0;
    bool wrong_context = false;  ///< the task is said to be in the kernel already
    std::array<Act, party_count> acts;

    [[nodiscard]] const Act& act(Party party) const {
        return acts[static_cast<std::size_t>(party)];
    }
};

/// Any bytes are a scenario; what is missing is zero.
[[nodiscard]] Scenario scenario_from(const std::uint8_t* bytes, std::size_t size);

/// A party's turn and what it saw.
struct Event {
    Party party = Party::call;
    long number = 0;
    long result = 0;
    long progress = 0;  ///< how far pc has gone: 1 behind the call, 0 where it was taken back
    entry::WorkWord syscall_work = 0;
    entry::WorkWord exit_work = 0;
    bool interrupts_on = false;
    bool nested = false;  ///< it came from the kernel

    bool operator==(const Event&) const = default;
};

/// What happened, to its end. The last event is the state in which user mode is reached.
using Story = std::vector<Event>;
[[nodiscard]] std::string tell(const Story& story);

}  // namespace kerntoll::test
