// SPDX-License-Identifier: MIT
#include "nano/scheduler.hpp"

#include "nano/arch.hpp"
#include "port.hpp"

namespace kerntoll::nano {

constinit Task* detail::running = nullptr;

namespace {

using detail::running;

/// How long the machine rests while nobody has anything to do: longer each time nothing came of it,
/// so that an answer is quick while questions come, and a quiet machine costs its host nothing.
constexpr uint64_t shortest_rest = 50'000;
constexpr uint64_t longest_rest = 2'000'000;
constinit uint64_t rest = shortest_rest;
constinit bool rests = true;

enum class Candidates : uint8_t { ready, ready_or_waiting };

/// The next one after the running task that is alive and, of `ready` ones, does not wait.
Task* find_next(Candidates wanted) {
    const TaskTable table = all_tasks();
    const auto start = static_cast<size_t>(running - table.first);
    for (size_t i = 1; i < most_tasks; ++i) {
        Task& task = table.first[(start + i) % most_tasks];
        if (task.state == Task::State::alive &&
            (wanted == Candidates::ready_or_waiting || !task.waits)) {
            return &task;
        }
    }
    return nullptr;
}

/// Interrupts are off.
void switch_to(Task& next) {
    Task& previous = *running;
    kerntoll_nano_save_task_registers(&previous.registers);
    kerntoll_nano_load_task_registers(&next.registers);
    next.space.activate();
    running = &next;
    kerntoll_nano_switch_stacks(&previous.kernel_stack_pointer, next.kernel_stack_pointer);
}

}  // namespace

InterruptsOff::InterruptsOff() : were_on_(entry::port::interrupts_are_on()) {
    entry::port::interrupts_off();
}

InterruptsOff::~InterruptsOff() {
    if (were_on_) {
        entry::port::interrupts_on();
    }
}

void adjust_timer() {
    size_t alive = 0;
    for (const Task& task : all_tasks()) {
        alive += task.state == Task::State::alive ? 1 : 0;
    }
    if (alive > 1) {
        arch::arm_timer(tick_nanoseconds);
    } else {
        arch::disarm_timer();
    }
}

void yield() {
    const InterruptsOff off;
    Task* next = find_next(Candidates::ready);
    if (next == nullptr && (running->waits || running->state != Task::State::alive)) {
        // Nobody has anything to do.
        if (rests) {
            arch::idle(rest);
        }
        rest = rest < longest_rest ? rest * 2 : longest_rest;
        next = find_next(Candidates::ready_or_waiting);
    }
    adjust_timer();
    if (next != nullptr) {
        switch_to(*next);
    }
}

void never_rest() {
    rests = false;
}

void end_waiting() {
    running->waits = false;
    rest = shortest_rest;
}

void wake_all() {
    for (Task& task : all_tasks()) {
        task.waits = false;
    }
}

void tick() {
    wake_all();  // who waits for the console is told by nobody else
    entry::set_work(running->kernel.thread.exit_work, entry::exit_work::reschedule);
    adjust_timer();
}

void set_first_task(Task& task) {
    running = &task;
    task.state = Task::State::alive;
}

void start_first_task() {
    kerntoll_nano_load_task_registers(&running->registers);
    running->space.activate();
    uintptr_t boot_stack = 0;
    kerntoll_nano_switch_stacks(&boot_stack, running->kernel_stack_pointer);
    __builtin_unreachable();
}

}  // namespace kerntoll::nano
