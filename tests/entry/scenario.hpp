// SPDX-License-Identifier: MIT
// What may happen to two system calls of one task: what its tracers, filters and handlers are going
// to do. Both the entry path and the model that it is compared with act a scenario out.
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
};
inline constexpr std::size_t party_count = 19;
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
};

/// Numbers from 0 that exist.
inline constexpr std::size_t calls = 7;

struct Scenario {
    entry::WorkWord syscall_work = 0;
    entry::WorkWord exit_work = 0;
    long number = 0;
    long second_number = 0;  ///< of the call after it: what is left over from one shows in the next
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

    bool operator==(const Event&) const = default;
};

/// What happened, to its end. The last event is the state in which user mode is reached.
using Story = std::vector<Event>;
[[nodiscard]] std::string tell(const Story& story);

}  // namespace kerntoll::test
