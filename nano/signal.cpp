// SPDX-License-Identifier: MIT
#include "nano/signal.hpp"

#include "nano/arch.hpp"
#include "nano/error.hpp"
#include "nano/runtime.hpp"
#include "nano/scheduler.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// What lies on the user's stack while a handler runs.
struct SignalFrame {
    SignalInfo info;
    arch::UserContext context;
};

constexpr uint64_t cannot_be_blocked = signal_bit(signal::kill) | signal_bit(signal::stop);
/// Ignored unless there is a handler. Stopping is not there, so what asks for it is ignored too.
constexpr uint64_t ignored_by_default =
    signal_bit(signal::child) | signal_bit(signal::resume) | signal_bit(signal::stop) |
    signal_bit(signal::terminal_stop) | signal_bit(signal::background_read) |
    signal_bit(signal::background_write) | signal_bit(signal::urgent) | signal_bit(signal::window);

/// The same physical page in every address space, readable and executable for users and nothing
/// else in it.
alignas(page_size) constinit unsigned char trampoline[page_size] = {};

/// The lowest signal in a set that is not empty.
int lowest(uint64_t set) {
    int number = 1;
    while ((set & signal_bit(number)) == 0) {
        ++number;
    }
    return number;
}

bool has_handler(const Action& action) {
    return action.handler != Action::by_default && action.handler != Action::ignore;
}

/// Makes the frame go on in a handler. False where the user's stack does not hold what it needs.
bool enter_handler(entry::Frame& frame, const SignalInfo& info, const Action& action) {
    Task& task = current_task();
    constexpr uintptr_t alignment = 16;
    const uintptr_t below = arch::stack_pointer(frame) - arch::red_zone - sizeof(SignalFrame);
    const uintptr_t place = below / alignment * alignment;
    SignalFrame saved{};
    saved.info = info;
    arch::save_context(frame, task.signals.blocked, saved.context);
    if (!write_user(place, saved)) {
        return false;
    }
    const bool own_return = (action.flags & Action::with_restorer) != 0;
    return arch::enter_handler(frame,
                               {.handler = action.handler,
                                .frame = place,
                                .number = info.number,
                                .info = place + offsetof(SignalFrame, info),
                                .context = place + offsetof(SignalFrame, context),
                                .return_to = own_return ? action.restorer : trampoline_page});
}

void run_handler(entry::Frame& frame, const SignalInfo& info) {
    Task& task = current_task();
    Action& action = task.signals.actions[info.number];
    if (task.was_interrupted) {
        task.was_interrupted = false;
        if ((action.flags & Action::restart) != 0) {
            entry::port::restart(frame);
        } else {
            entry::port::set_result(frame, error::interrupted);
        }
    }
    // Behind the restart, which moves the pc: it is the one to go on with that lies in a section.
    leave_critical_section(frame);
    if (!enter_handler(frame, info, action)) {
        exit_task(signal::segment);
    }
    task.signals.blocked |= action.mask & ~cannot_be_blocked;
    if ((action.flags & Action::not_blocked) == 0) {
        task.signals.blocked |= signal_bit(info.number);
    }
    if ((action.flags & Action::reset) != 0) {
        action = Action{};
    }
}

}  // namespace

void send_signal(Task& task, const SignalInfo& info) {
    task.signals.pending |= signal_bit(info.number);
    task.signals.info = info;
    entry::set_work(task.kernel.thread.exit_work, entry::exit_work::signal);
    wake_all();
}

void force_signal(const SignalInfo& info) {
    Signals& signals = current_task().signals;
    // At once, and not on the way out: with work=none there is no such way, and the instruction
    // would fault again for ever. So would that of a task that does not want to hear of it.
    if ((signals.blocked & signal_bit(info.number)) != 0 ||
        !has_handler(signals.actions[info.number])) {
        exit_task(info.number);
    }
    send_signal(current_task(), info);
}

bool has_signal(const Task& task) {
    return (task.signals.pending & ~task.signals.blocked) != 0;
}

void deliver_signals(entry::Frame& frame) {
    Task& task = current_task();
    Signals& signals = task.signals;
    while (has_signal(task)) {
        const int number = lowest(signals.pending & ~signals.blocked);
        signals.pending &= ~signal_bit(number);
        const Action& action = signals.actions[number];
        if (has_handler(action)) {
            SignalInfo info{};
            info.number = number;
            run_handler(frame, signals.info.number == number ? signals.info : info);
            continue;
        }
        const bool ignored =
            action.handler == Action::ignore || (signal_bit(number) & ignored_by_default) != 0;
        if (!ignored) {
            exit_task(number);
        }
    }
    if (task.was_interrupted) {  // by a signal that nobody took notice of
        task.was_interrupted = false;
        entry::port::restart(frame);
    }
}

void return_from_signal(entry::Frame& frame) {
    SignalFrame saved;
    uint64_t blocked = 0;
    if (!read_user(saved, arch::signal_frame(frame)) ||
        !arch::restore_context(saved.context, frame, blocked)) {
        force_signal({.number = signal::segment});
        return;
    }
    current_task().signals.blocked = blocked & ~cannot_be_blocked;
    if (has_signal(current_task())) {
        entry::set_work(current_task().kernel.thread.exit_work, entry::exit_work::signal);
    }
}

void make_trampoline() {
    memcpy(trampoline, arch::return_instructions, sizeof arch::return_instructions);
}

bool map_trampoline(AddressSpace& space) {
    return space.map(trampoline_page, arch::physical_of(trampoline), Access::read_execute);
}

}  // namespace kerntoll::nano
