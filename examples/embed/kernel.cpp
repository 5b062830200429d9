// SPDX-License-Identifier: MIT
// A kernel around kerntoll's entry path: two tasks that take turns, and a tracer that watches one
// of them and forbids it something. For QEMU's riscv64 `virt` machine without firmware.
#include <stddef.h>
#include <stdint.h>

#include "handlers.hpp"
#include "kerntoll/entry/stack.h"

namespace entry = kerntoll::entry;

extern "C" void kerntoll_entry_vector();
extern "C" void switch_stacks(uintptr_t* mine, uintptr_t other, entry::Thread* thread);
extern "C" void begin_user();

namespace {

// --- The machine ---

void put(char letter) {
    *reinterpret_cast<volatile uint8_t*>(0x1000'0000) = static_cast<uint8_t>(letter);
}
void put(const char* text) {
    while (*text != 0) {
        put(*text++);
    }
}
void put_number(long number) {
    if (number < 0) {
        put('-');
        number = -number;
    }
    if (number > 9) {
        put_number(number / 10);
    }
    put(static_cast<char>('0' + number % 10));
}
/// What QEMU's test device takes as the end: its exit status is 0, or 1.
enum class End : uint32_t { pass = 0x5555, fail = 0x13333 };
[[noreturn]] void power_off(End end) {
    *reinterpret_cast<volatile uint32_t*>(0x10'0000) = static_cast<uint32_t>(end);
    while (true) {
    }
}

// --- Tasks and their scheduler ---

/// The Thread lies directly above its stack, as the entry path wants it.
struct Task {
    alignas(16) uint8_t stack[KERNTOLL_ENTRY_STACK_SIZE];
    entry::Thread thread;
    uintptr_t stack_pointer;  ///< while it does not run
    bool is_done;
};
static_assert(offsetof(Task, thread) == KERNTOLL_ENTRY_STACK_SIZE);

constexpr int task_count = 2;
Task tasks[task_count];
alignas(16) uint8_t user_stacks[task_count][4096];
uintptr_t boot_stack_pointer;
int running;

/// What switch_stacks() finds on a new task's stack: ra, s0 to s11 and a word that keeps it
/// aligned; the frame above.
void prepare(int index, void (*program)()) {
    constexpr uintptr_t interrupts_on_in_user_mode = 0x20;
    Task& task = tasks[index];
    auto* frame = reinterpret_cast<entry::Frame*>(&task.thread) - 1;
    frame->pc = reinterpret_cast<uintptr_t>(program);
    frame->reg(2) = reinterpret_cast<uintptr_t>(user_stacks[index] + sizeof user_stacks[index]);
    frame->status = interrupts_on_in_user_mode;
    auto* registers = reinterpret_cast<uintptr_t*>(frame) - 14;
    registers[0] = reinterpret_cast<uintptr_t>(begin_user);
    task.stack_pointer = reinterpret_cast<uintptr_t>(registers);
}

void schedule() {
    const int before = running;
    for (int i = 1; i <= task_count; ++i) {
        const int next = (before + i) % task_count;
        if (!tasks[next].is_done) {
            running = next;
            if (next != before) {
                switch_stacks(&tasks[before].stack_pointer, tasks[next].stack_pointer,
                              &tasks[next].thread);
            }
            return;
        }
    }
    put("all done\n");
    power_off(End::pass);
}

// --- System calls ---

enum Number : long { call_put, call_yield, call_exit, call_count_ };

void ask_for_other_task() {
    entry::set_work(tasks[running].thread.exit_work, entry::exit_work::reschedule);
}
long do_put(entry::Frame& frame) {
    put(static_cast<char>(entry::argument(frame, 0)));
    return 1;
}
long do_yield(entry::Frame& /*frame*/) {
    ask_for_other_task();
    return 0;
}
long do_exit(entry::Frame& /*frame*/) {
    tasks[running].is_done = true;
    ask_for_other_task();
    return 0;
}
constexpr entry::Call table[call_count_] = {do_put, do_yield, do_exit};

// --- What this kernel brings to the entry path ---

struct Hooks {
    static constexpr size_t call_count = call_count_;
    [[gnu::always_inline]] static const entry::Call (&calls())[call_count] { return table; }

    static void exception(entry::Frame& frame, entry::Thread& /*thread*/, entry::Cause cause) {
        put("killed: cause ");
        put_number(static_cast<long>(cause));
        put('\n');
        do_exit(frame);
    }
    static void kernel_exception(entry::Frame& /*frame*/, entry::Cause /*cause*/) {
        put("a fault in the kernel\n");
        power_off(End::fail);
    }
    static void interrupt(entry::Frame& /*frame*/, entry::Cause /*cause*/) {
        put("an interrupt that nobody turned on\n");
        power_off(End::fail);
    }

    /// The tracer: says what is called, and forbids to print an x.
    static bool ptrace_enter(entry::Frame& frame, entry::Thread& /*thread*/) {
        const long number = entry::port::number(frame);
        put("[call ");
        put_number(number);
        if (number == call_put && entry::argument(frame, 0) == 'x') {
            put(" is forbidden");
            entry::port::set_result(frame, -1);
            return false;
        }
        return true;
    }
    static void ptrace_exit(entry::Frame& frame, entry::Thread& /*thread*/) {
        put(" = ");
        put_number(entry::port::result(frame));
        put("]");
    }
    static void reschedule(entry::Thread& /*thread*/) { schedule(); }
};

// --- What runs in user mode ---

long call(Number number, long argument = 0) {
    register long a0 asm("a0") = argument;
    register long a7 asm("a7") = number;
    asm volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}
void program_a() {
    for (int i = 0; i < 3; ++i) {
        call(call_put, 'a');
        call(call_yield);
    }
    asm volatile("csrr zero, sstatus");  // not a user's to read
}
void program_b() {
    call(call_put, 'b');
    call(call_yield);
    const bool is_forbidden = call(call_put, 'x') == -1;
    const bool is_unknown = call(static_cast<Number>(99)) == entry::no_such_call;
    call(call_put, is_forbidden && is_unknown ? 'B' : '?');
    call(call_exit);
}

/// What CMakeLists.txt chooses: the compiler holds that it is the same.
constexpr entry::Policy policy{.vector = entry::Vector::likely, .frame = entry::FrameKind::lazy};

}  // namespace

KERNTOLL_ENTRY_HANDLERS(policy, Hooks)

extern "C" void kerntoll_entry_stack_overflow(uintptr_t /*pc*/, uintptr_t /*stack*/) {
    put("stack overflow in the kernel\n");
    power_off(End::fail);
}

extern "C" void kernel_main() {
    asm volatile("csrw stvec, %0" : : "r"(kerntoll_entry_vector));
    asm volatile("csrw sscratch, zero");  // the kernel runs
    prepare(0, program_a);
    prepare(1, program_b);
    entry::set_work(tasks[1].thread.syscall_work, entry::syscall_work::ptrace);
    put("embed: two tasks, the second one traced\n");
    switch_stacks(&boot_stack_pointer, tasks[0].stack_pointer, &tasks[0].thread);
}
