// SPDX-License-Identifier: MIT
#include "nano/task.hpp"

#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/error.hpp"
#include "nano/report.hpp"
#include "nano/runtime.hpp"
#include "nano/scheduler.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

[[KERNTOLL_NANO_STACKS]] constinit Task tasks[most_tasks] = {};
constinit long next_pid = 1;

}  // namespace

TaskTable all_tasks() {
    return {tasks};
}

Task* find_task(long pid) {
    for (Task& task : tasks) {
        if (task.state != Task::State::free && task.pid == pid) {
            return &task;
        }
    }
    return nullptr;
}

bool is_kernel_stack(uintptr_t address) {
    const auto lies_in = [address](const void* begin, size_t size) {
        return address - reinterpret_cast<uintptr_t>(begin) < size;
    };
    return lies_in(tasks, sizeof tasks) ||
           lies_in(&kerntoll_nano_boot_stack, sizeof kerntoll_nano_boot_stack);
}

Task* make_task() {
    for (Task& task : tasks) {
        if (task.state != Task::State::free) {
            continue;
        }
        if (!task.space.create() || !map_trampoline(task.space)) {
            task.space.destroy();
            return nullptr;
        }
        constexpr unsigned usual_mask = 022;
        task.pid = next_pid++;
        task.mode_mask = usual_mask;
        task.group = task.pid;
        return &task;
    }
    return nullptr;
}

void free_task(Task& task) {
    task.descriptors.close_all();
    task.space.destroy();
    // Not by an assignment, which would copy the kernel stack through this one.
    memset(static_cast<void*>(&task), 0, sizeof task);
}

entry::Frame& frame_of(Task& task) {
    return *(reinterpret_cast<entry::Frame*>(&task.kernel.thread) - 1);
}

long ask_for_whole_frame(long (*call)(entry::Frame& frame)) {
    Task& task = current_task();
    task.whole_frame_call = call;
    entry::set_work(task.kernel.thread.syscall_work, entry::syscall_work::whole_frame_call);
    return error::no_call;
}

long fork_task(entry::Frame& frame) {
    const Task& parent = current_task();
    Task* const child = make_task();
    if (child == nullptr) {
        return error::try_again;
    }
    if (!child->space.copy_from(parent.space)) {
        free_task(*child);
        return error::no_memory;
    }
    child->kernel.thread.syscall_work =
        parent.kernel.thread.syscall_work &
        (entry::syscall_work::on_enter & ~entry::syscall_work::user_dispatch);
    child->kernel.thread.stack_offset = parent.kernel.thread.stack_offset;
    child->group = parent.group;
    child->parent = parent.pid;
    child->mode_mask = parent.mode_mask;
    child->descriptors.copy_from(parent.descriptors);
    child->signals = parent.signals;
    child->signals.pending = 0;
    child->filter = parent.filter;
    child->rseq = parent.rseq;
    kerntoll_nano_save_task_registers(&child->registers);
    frame_of(*child) = frame;
    entry::port::set_result(frame_of(*child), 0);
    child->kernel_stack_pointer = arch::prepare_stack(frame_of(*child));
    child->state = Task::State::alive;
    adjust_timer();
    return child->pid;
}

void exit_task(int wait_status) {
    Task& task = current_task();
    if (task.pid == 1) {
        const int signal = wait_status & 0x7f;
        if (signal != 0) {
            print("\nnano: pid 1 was killed by signal ", signal, " at ",
                  Hex{arch::program_counter(frame_of(task))}, "\n");
        }
        if (signal == 0 && wait_status != 0) {
            print("\nnano: pid 1 ended with status ", wait_status >> 8, "\n");
        }
        constexpr int killed = 128;  // as a shell says it
        shut_down(signal != 0 ? killed + signal : wait_status >> 8);
    }
    // What a parent of others leaves behind belongs to pid 1.
    for (Task& other : tasks) {
        if (other.parent == task.pid) {
            other.parent = 1;
        }
    }
    task.descriptors.close_all();
    task.wait_status = wait_status;
    if (Task* const parent = find_task(task.parent); parent != nullptr) {
        send_signal(*parent, {.number = signal::child});
    }
    task.state = Task::State::zombie;
    for (;;) {
        yield();
    }
}

}  // namespace kerntoll::nano
