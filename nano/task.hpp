// SPDX-License-Identifier: MIT
// Tasks: what runs user code, each with its own memory and kernel stack.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "kerntoll/entry/stack.h"
#include "kerntoll/entry/thread.hpp"
#include "nano/arch.hpp"
#include "nano/file.hpp"
#include "nano/memory.hpp"
#include "nano/signal.hpp"
#include "nano/syscall_work/rseq.hpp"
#include "nano/syscall_work/seccomp.hpp"
#include "nano/syscall_work/user_dispatch.hpp"

namespace kerntoll::nano {

/// The user's last page: the instructions that return from a signal handler (signal.hpp).
inline constexpr uintptr_t trampoline_page = user_limit - page_size;
/// The user's stack ends there. Below it nothing is mapped, so that running out of it is a fault.
inline constexpr size_t stack_pages = 16;
inline constexpr uintptr_t stack_top = trampoline_page;
inline constexpr uintptr_t stack_bottom = stack_top - stack_pages * page_size;

/// Where a task runs in the kernel. The order is the trap stub's: it finds stack and frame by the
/// Thread above them.
struct KernelStack {
    alignas(16) unsigned char bytes[KERNTOLL_ENTRY_STACK_SIZE];
    entry::Thread thread;
};

/// The section of everything that has one inside. A port whose hardware does not stop a stack that
/// runs over puts it where there is nothing below that anybody needs.
#define KERNTOLL_NANO_STACKS gnu::section(".bss.stacks")

/// Where the boot code runs; the port's boot.S knows it by name.
extern "C" KernelStack kerntoll_nano_boot_stack;

struct Task {
    enum class State : uint8_t {
        free,    ///< a slot without a task
        alive,   ///< running, ready, or waiting
        zombie,  ///< ended, until its parent asks
    };

    State state = State::free;
    bool waits = false;  ///< alive, but only to look again whether what it waits for has come
    /// The call it is in answers error::restart, since a signal came.
    bool was_interrupted = false;
    /// What ask_for_whole_frame() was asked to run.
    long (*whole_frame_call)(entry::Frame& frame) = nullptr;
    int wait_status = 0;  ///< of a zombie, as wait4 tells it
    long pid = 0;
    long group = 0;
    long parent = 0;                     ///< pid
    unsigned mode_mask = 0;              ///< umask
    long audited_number = 0;             ///< of the call that audit saw enter
    uintptr_t kernel_stack_pointer = 0;  ///< of a task that does not run
    AddressSpace space;
    Descriptors descriptors;
    Signals signals;
    UserDispatch dispatch;
    SeccompFilter filter;
    Rseq rseq;
    arch::TaskRegisters registers = {};
    KernelStack kernel;  ///< last, so that the others are reached by a short offset
};

inline constexpr size_t most_tasks = 4;

namespace detail {
extern constinit Task* running;  // scheduler.cpp
}

/// The task that runs, or on whose behalf the kernel does.
[[nodiscard]] inline Task& current_task() {
    return *detail::running;
}
/// The task of that pid, alive or zombie; nullptr where there is none.
[[nodiscard]] Task* find_task(long pid);

/// A range for loops: all slots, free ones too.
struct TaskTable {
    Task* first;
    [[nodiscard]] Task* begin() const { return first; }
    [[nodiscard]] Task* end() const { return first + most_tasks; }
};
[[nodiscard]] TaskTable all_tasks();

/// Whether an address lies in a kernel stack, or in the task around it.
[[nodiscard]] bool is_kernel_stack(uintptr_t address);

/// A new task with an empty address space, no file, and the next pid; nullptr where slots or memory
/// are out. It is `free` until its maker says that it is alive.
[[nodiscard]] Task* make_task();
/// Gives back everything a task has, and its slot.
void free_task(Task& task);

/// Where the registers of a task lie while it is in the kernel: at the top of its kernel stack,
/// where the trap stub puts them.
[[nodiscard]] entry::Frame& frame_of(Task& task);

/// For a call that needs every register of the user: has `call` run once the frame is complete, and
/// answers what the table's function has to answer until then, and for good with work=none.
[[nodiscard]] long ask_for_whole_frame(long (*call)(entry::Frame& frame));

/// A copy of the current task, whose registers are `frame`; as fork(2). The child's pid, or a
/// negative error.
[[nodiscard]] long fork_task(entry::Frame& frame);

/// Ends the current task. `wait_status` is what wait4 tells: the exit status times 256, or the
/// signal. The end of pid 1 is the end of the machine.
[[noreturn]] void exit_task(int wait_status);

}  // namespace kerntoll::nano
