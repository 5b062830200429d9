// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/runtime.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "tables.hpp"

extern "C" {
extern const char kerntoll_nano_start_task[];
extern constinit kerntoll::nano::KernelStack kerntoll_nano_boot_stack;
}

namespace kerntoll::nano::arch {

namespace {

constinit entry::Tables tables;

/// Flags: the one that is always set, and interrupts, which a user always has.
constexpr uintptr_t user_flags = 1U << 1U | 1U << 9U;
/// Those that a user may set as it likes: carry, parity, adjust, zero, sign, trap, direction,
/// overflow, alignment check.
constexpr uintptr_t own_flags = 0x40dd5;

/// What kerntoll_nano_switch_stacks takes from a stack.
struct Saved {
    uintptr_t frame;
    uintptr_t kept[6];
    uintptr_t return_to;
};
static_assert(sizeof(Saved) == 64);

/// The part of TaskRegisters that a signal's context has.
constexpr size_t fxsave_size = offsetof(TaskRegisters, ds);
static_assert(sizeof(UserContext::floats) == fxsave_size);

/// What a machine check is to the user that it hit: nothing to go on from where the instruction
/// pointer of the frame is not valid. (SDM volume 3, 15.3.1.2: RIPV; MCIP, left set, makes the next
/// machine check a shutdown.)
int machine_check_signal() {
    constexpr uint32_t global_status = 0x17a;
    constexpr uint64_t is_restartable = 1U << 0U;
    const uint64_t status = entry::msr::read(global_status);
    entry::msr::write(global_status, 0);
    return (status & is_restartable) != 0 ? signal::bus : signal::kill;
}

}  // namespace

void start_traps() {
    tables.install(kerntoll_nano_boot_stack.thread);
}

void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack) {
    frame = entry::Frame{};
    frame.rip = start;
    frame.rsp = stack;
    frame.cs = USER_CS;
    frame.ss = USER_SS;
    frame.rflags = user_flags;
}

void print_registers(const entry::Frame& frame) {
    uintptr_t address;
    asm volatile("movq %%cr2, %0" : "=r"(address));
    print(" vector=", frame.cause, " error=", Hex{frame.error}, " address=", Hex{address},
          " rip=", Hex{frame.rip}, " cs=", Hex{frame.cs}, " rflags=", Hex{frame.rflags},
          " rsp=", Hex{frame.rsp}, " ss=", Hex{frame.ss}, " rax=", Hex{frame.rax},
          " rbx=", Hex{frame.rbx}, " rcx=", Hex{frame.rcx}, " rdx=", Hex{frame.rdx},
          " rsi=", Hex{frame.rsi}, " rdi=", Hex{frame.rdi}, " rbp=", Hex{frame.rbp},
          " r8=", Hex{frame.r8}, " r9=", Hex{frame.r9}, " r10=", Hex{frame.r10},
          " r11=", Hex{frame.r11}, " r12=", Hex{frame.r12}, " r13=", Hex{frame.r13},
          " r14=", Hex{frame.r14}, " r15=", Hex{frame.r15});
}

Fault fault_of(const entry::Frame& frame, entry::Cause cause) {
    uintptr_t address;
    asm volatile("movq %%cr2, %0" : "=r"(address));
    switch (cause) {
        case 0:   // division
        case 16:  // x87
        case 19:  // SSE
            return {signal::float_error, frame.rip};
        case 1:  // debug
        case 3:  // breakpoint
            return {signal::trap, frame.rip};
        case 6:  // instruction
            return {signal::illegal, frame.rip};
        case 12:  // stack segment, which here is an address that is not canonical
        case 17:  // alignment
            return {signal::bus, 0};
        case 18:  // machine check
            return {machine_check_signal(), 0};
        case 14:  // page
            return {signal::segment, address};
        default:  // protection, and whatever else a later processor may have: no address is known
            return {signal::segment, 0};
    }
}

void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context) {
    // FXSAVE leaves its reserved bytes as they are, and the user gets them all: not from this
    // stack.
    TaskRegisters state{};
    kerntoll_nano_save_task_registers(&state);
    context.mask = mask;
    context.r8 = frame.r8;
    context.r9 = frame.r9;
    context.r10 = frame.r10;
    context.r11 = frame.r11;
    context.r12 = frame.r12;
    context.r13 = frame.r13;
    context.r14 = frame.r14;
    context.r15 = frame.r15;
    context.rdi = frame.rdi;
    context.rsi = frame.rsi;
    context.rbp = frame.rbp;
    context.rbx = frame.rbx;
    context.rdx = frame.rdx;
    context.rax = frame.rax;
    context.rcx = frame.rcx;
    context.rsp = frame.rsp;
    context.rip = frame.rip;
    context.rflags = frame.rflags;
    context.cs = static_cast<uint16_t>(frame.cs);
    context.ss = static_cast<uint16_t>(frame.ss);
    memcpy(context.floats, &state, fxsave_size);
}

bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask) {
    mask = context.mask;
    frame.r8 = context.r8;
    frame.r9 = context.r9;
    frame.r10 = context.r10;
    frame.r11 = context.r11;
    frame.r12 = context.r12;
    frame.r13 = context.r13;
    frame.r14 = context.r14;
    frame.r15 = context.r15;
    frame.rdi = context.rdi;
    frame.rsi = context.rsi;
    frame.rbp = context.rbp;
    frame.rbx = context.rbx;
    frame.rdx = context.rdx;
    frame.rax = context.rax;
    frame.rcx = context.rcx;
    frame.rsp = context.rsp;
    // An address in the kernel faults in user mode; one that is not canonical, in IRET.
    frame.rip = context.rip;
    frame.cs = USER_CS;
    frame.ss = USER_SS;
    frame.rflags = (context.rflags & own_flags) | user_flags;
    TaskRegisters state{};
    kerntoll_nano_save_task_registers(&state);  // for the selectors, which are in no context
    constexpr uint32_t bits_of_the_first = 0xffbf;
    const uint32_t bits = state.mxcsr_mask != 0 ? state.mxcsr_mask : bits_of_the_first;
    memcpy(&state, context.floats, fxsave_size);
    state.mxcsr &= bits;  // others make FXRSTOR fault
    kerntoll_nano_load_task_registers(&state);
    return true;
}

bool enter_handler(entry::Frame& frame, const HandlerEntry& entry) {
    // As if it had been called: the return address is on the stack.
    const uintptr_t stack = entry.frame - sizeof entry.return_to;
    const uintptr_t floats = entry.context + offsetof(UserContext, floats);
    if (!write_user(stack, entry.return_to) ||
        !write_user(entry.context + offsetof(UserContext, float_state), floats)) {
        return false;
    }
    constexpr uintptr_t trap_and_direction = 1U << 8U | 1U << 10U;
    frame.rflags &= ~trap_and_direction;
    frame.rip = entry.handler;
    frame.rsp = stack;
    frame.rdi = static_cast<uintptr_t>(entry.number);
    frame.rsi = entry.info;
    frame.rdx = entry.context;
    frame.rax = 0;  // for handlers that are called as if they had variable arguments
    return true;
}

uintptr_t signal_frame(const entry::Frame& frame) {
    return frame.rsp;
}

uintptr_t prepare_stack(entry::Frame& frame) {
    auto* saved = reinterpret_cast<Saved*>(&frame) - 1;
    *saved = Saved{};
    saved->frame = reinterpret_cast<uintptr_t>(&frame);
    saved->return_to = reinterpret_cast<uintptr_t>(kerntoll_nano_start_task);
    return reinterpret_cast<uintptr_t>(saved);
}

}  // namespace kerntoll::nano::arch

/// switch.S: makes the Thread above `frame` the current one.
extern "C" void kerntoll_nano_use_thread_of(kerntoll::entry::Frame* frame) {
    kerntoll::nano::arch::tables.use(*reinterpret_cast<kerntoll::entry::Thread*>(frame + 1));
}
