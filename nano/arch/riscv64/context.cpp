// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/names.hpp"
#include "nano/runtime.hpp"
#include "nano/signal.hpp"

extern "C" {
extern const char kerntoll_entry_vector[];
extern const char kerntoll_nano_start_task[];
}

namespace kerntoll::nano::arch {

namespace {

/// Bits of sstatus.
constexpr uintptr_t user_interrupts = 1U << 5U;       // SPIE: on in user mode
constexpr uintptr_t float_initial = 1U << 13U;        // FS: the user has floating point
constexpr uintptr_t word_size = uintptr_t{3} << 32U;  // UXL: as the machine has it

/// What kerntoll_nano_switch_stacks takes from a stack.
struct Saved {
    uintptr_t return_to;
    uintptr_t thread;
    uintptr_t global_pointer;
    uintptr_t kept[12];
    uintptr_t padding;
};
static_assert(sizeof(Saved) == 128);

}  // namespace

void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack) {
    uintptr_t status;
    asm volatile("csrr %0, sstatus" : "=r"(status));
    frame = entry::Frame{};
    frame.pc = start;
    frame.reg(2) = stack;
    frame.status = (status & word_size) | user_interrupts | float_initial;
}

void print_registers(const entry::Frame& frame) {
    uintptr_t address;
    asm volatile("csrr %0, stval" : "=r"(address));
    print(" called by ");
    print_caller(frame.reg(1));
    print(" address=", Hex{address}, " status=", Hex{frame.status}, " pc=", Hex{frame.pc});
    for (unsigned number = 1; number < 32; ++number) {
        print(" x", number, "=", Hex{frame.reg(number)});
    }
}

void start_traps() {
    asm volatile("csrw sscratch, zero\n\tcsrw stvec, %0" : : "r"(kerntoll_entry_vector));
}

Fault fault_of(const entry::Frame& frame, entry::Cause cause) {
    uintptr_t address;
    asm volatile("csrr %0, stval" : "=r"(address));
    switch (cause) {
        case 0:  // instruction, load, store not aligned
        case 4:
        case 6:
            return {signal::bus, address};
        case 2:  // illegal instruction; stval may hold its bits
            return {signal::illegal, frame.pc};
        case 3:  // breakpoint
            return {signal::trap, frame.pc};
        default:  // access and page faults, and whatever else a later processor may have
            return {signal::segment, address};
    }
}

void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context) {
    context.mask = mask;
    context.registers[0] = frame.pc;
    for (unsigned number = 1; number < 32; ++number) {
        context.registers[number] = frame.reg(number);
    }
    TaskRegisters state;
    kerntoll_nano_save_task_registers(&state);
    memcpy(context.floats, state.registers, sizeof context.floats);
    context.float_control = static_cast<uint32_t>(state.control);
}

bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask) {
    // sstatus is not in the context, so nothing here could raise the user's rights; a pc in the
    // kernel faults in user mode.
    mask = context.mask;
    frame.pc = context.registers[0];
    for (unsigned number = 1; number < 32; ++number) {
        frame.reg(number) = context.registers[number];
    }
    TaskRegisters state;
    memcpy(state.registers, context.floats, sizeof state.registers);
    state.control = context.float_control;
    kerntoll_nano_load_task_registers(&state);
    return true;
}

uintptr_t signal_frame(const entry::Frame& frame) {
    return stack_pointer(frame);
}

bool enter_handler(entry::Frame& frame, const HandlerEntry& entry) {
    frame.pc = entry.handler;
    frame.reg(1) = entry.return_to;
    frame.reg(2) = entry.frame;
    frame.reg(10) = static_cast<uintptr_t>(entry.number);
    frame.reg(11) = entry.info;
    frame.reg(12) = entry.context;
    return true;
}

uintptr_t prepare_stack(entry::Frame& frame) {
    auto* saved = reinterpret_cast<Saved*>(&frame) - 1;
    *saved = Saved{};
    saved->return_to = reinterpret_cast<uintptr_t>(kerntoll_nano_start_task);
    saved->thread = reinterpret_cast<uintptr_t>(&frame + 1);
    return reinterpret_cast<uintptr_t>(saved);
}

}  // namespace kerntoll::nano::arch
