// SPDX-License-Identifier: MIT
// Which task runs. Round robin on one CPU; the timer ticks only while there is more than one task,
// so that a batch of the agent's is never disturbed and takes the same instructions every time.
#pragma once

#include <stdint.h>

#include "nano/error.hpp"
#include "nano/task.hpp"

namespace kerntoll::nano {

/// How long a task runs before it must share.
inline constexpr uint64_t tick_nanoseconds = 1'000'000;

/// Runs another task that has something to do, if there is one, and comes back in turn. A task that
/// waits is run too where nothing else is there, after the machine has rested a moment.
void yield();
/// What the running task waited for has come, or a signal.
void end_waiting();
/// Something happened that a waiting task may wait for: all of them look again.
void wake_all();
/// The timer's interrupt.
void tick();
/// Makes a task the current one, though the boot stack still runs.
void set_first_task(Task& task);
/// Leaves the boot stack for that task, for good.
[[noreturn]] void start_first_task();
/// Starts the timer where there is somebody to share with, and stops it where there is not.
void adjust_timer();

/// Interrupts are off as long as this lives.
class InterruptsOff {
public:
    InterruptsOff();
    ~InterruptsOff();
    InterruptsOff(const InterruptsOff&) = delete;
    InterruptsOff& operator=(const InterruptsOff&) = delete;

private:
    bool were_on_;
};

/// Lets others run until `ready()`. 0, or -ERESTARTSYS where a signal came first.
template <class Ready>
[[nodiscard]] long wait_until(Ready ready) {
    Task& task = current_task();
    while (!ready()) {
        if (has_signal(task)) {
            end_waiting();
            task.was_interrupted = true;
            return error::restart;
        }
        task.waits = true;
        yield();
    }
    end_waiting();
    return 0;
}

}  // namespace kerntoll::nano
