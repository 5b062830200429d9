// SPDX-License-Identifier: MIT
// One way to signal a task: kill or a fault makes a signal pending, and on the way back to the user
// it is ignored, ends the task, or runs a handler on the user's stack. No stopping and continuing,
// no queues, no alternate stacks.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"

namespace kerntoll::nano {

struct Task;
class AddressSpace;

/// Linux's numbers, the same on all five architectures.
namespace signal {
inline constexpr int illegal = 4;
inline constexpr int trap = 5;
inline constexpr int bus = 7;
inline constexpr int float_error = 8;
inline constexpr int kill = 9;
inline constexpr int segment = 11;
inline constexpr int pipe = 13;
inline constexpr int child = 17;
inline constexpr int resume = 18;
inline constexpr int stop = 19;
inline constexpr int terminal_stop = 20;
inline constexpr int background_read = 21;
inline constexpr int background_write = 22;
inline constexpr int urgent = 23;
inline constexpr int window = 28;
inline constexpr int call = 31;
inline constexpr int most = 31;  ///< real-time signals are left out
}  // namespace signal

/// siginfo_t: as long as Linux's, with what a fault or a kill fills in.
struct SignalInfo {
    int32_t number = 0;
    int32_t error = 0;
    int32_t code = 0;
    int32_t padding = 0;
    uint64_t address = 0;  ///< of a fault; of a kill sender_of()
    int32_t call = 0;      ///< of SIGSYS: the number of the call
    uint32_t architecture = 0;
    unsigned char rest[96] = {};
};
static_assert(sizeof(SignalInfo) == 128);

/// Where the address of a fault would be, a kill has its sender: the pid and then the user, who is
/// root, of 32 bits each.
constexpr uint64_t sender_of(long pid) {
    struct {
        int32_t pid;
        uint32_t user;
    } const sender = {static_cast<int32_t>(pid), 0};
    return __builtin_bit_cast(uint64_t, sender);
}

struct Action {
    static constexpr uintptr_t by_default = 0;
    static constexpr uintptr_t ignore = 1;
    static constexpr uint64_t with_info = 4;              // SA_SIGINFO
    static constexpr uint64_t with_restorer = 0x4000000;  // SA_RESTORER
    static constexpr uint64_t restart = 0x10000000;       // SA_RESTART
    static constexpr uint64_t not_blocked = 0x40000000;   // SA_NODEFER
    static constexpr uint64_t reset = 0x80000000;         // SA_RESETHAND

    uintptr_t handler = by_default;
    uint64_t flags = 0;
    uintptr_t restorer = 0;
    uint64_t mask = 0;
};

struct Signals {
    uint64_t pending = 0;  ///< bit n - 1 for signal n
    uint64_t blocked = 0;
    Action actions[signal::most + 1];
    SignalInfo info = {};  ///< of the last signal that has some to tell
};

constexpr uint64_t signal_bit(int number) {
    return uint64_t{1} << static_cast<unsigned>(number - 1);
}

/// Makes a signal pending for a task.
void send_signal(Task& task, const SignalInfo& info);
/// The same for a fault of the current task, which it can neither block nor ignore.
void force_signal(const SignalInfo& info);
/// Whether something is pending that is not blocked.
[[nodiscard]] bool has_signal(const Task& task);

/// Delivers what is pending for the current task, on its way back to the user with `frame`: does
/// nothing, changes the frame so that it goes on in a handler, or ends the task.
void deliver_signals(entry::Frame& frame);

/// The end of a handler: takes the registers from the frame on the user's stack. Whatever lies
/// there, what comes back is a user's state; where it is not even readable the task is killed.
void return_from_signal(entry::Frame& frame);

/// Makes the page with the instructions that end a handler. Once, at start.
void make_trampoline();
/// Maps it into a new address space. False where memory is out.
[[nodiscard]] bool map_trampoline(AddressSpace& space);

}  // namespace kerntoll::nano
