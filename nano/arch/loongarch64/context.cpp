// SPDX-License-Identifier: MIT
#include "handlers.hpp"
#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/names.hpp"
#include "nano/runtime.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"

extern "C" {
extern const char kerntoll_entry_vectors[];
extern const char kerntoll_entry_begin_user[];
}

namespace kerntoll::nano::arch {

namespace {

/// What kerntoll_nano_switch_stacks takes from a stack.
struct Saved {
    uintptr_t return_to;
    uintptr_t frame;     ///< the Thread's
    uintptr_t kept[12];  ///< fp, s0 to s8, tp, r21
};
static_assert(sizeof(Saved) == 112);

uintptr_t address_of(const void* label) {
    return reinterpret_cast<uintptr_t>(label);
}

}  // namespace

void start_traps() {
    constexpr unsigned csr_config = 0x4;  // ECFG
    constexpr unsigned csr_entry = 0xc;   // EENTRY
    constexpr unsigned spacing_shift = 16;
    uintptr_t config = uintptr_t{VECTOR_SHIFT} << spacing_shift;
    uintptr_t vectors = address_of(kerntoll_entry_vectors);
    uintptr_t frame = address_of(&kerntoll_nano_boot_stack.thread) - sizeof(entry::Frame);
    asm volatile(
        "csrwr %0, %3\n\t"
        "csrwr %1, %4\n\t"
        "csrwr %2, %5"
        : "+r"(config), "+r"(vectors), "+r"(frame)
        : "i"(csr_config), "i"(csr_entry), "i"(CSR_KERNEL_FRAME)
        : "memory");
}

void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack) {
    frame = entry::Frame{};
    frame.pc = start;
    frame.reg(3) = stack;
}

void print_registers(const entry::Frame& frame) {
    print(" called by ");
    print_caller(frame.reg(1));
    print(" address=", Hex{frame.fault}, " status=", Hex{frame.status}, " pc=", Hex{frame.pc});
    for (unsigned number = 1; number < 32; ++number) {
        print(" r", number, "=", Hex{frame.reg(number)});
    }
}

Fault fault_of(const entry::Frame& frame, entry::Cause cause) {
    switch (cause >> entry::cause::class_shift & entry::cause::class_mask) {
        case 0x8:  // an address that there cannot be, or one that is not aligned
        case 0x9:
            return {signal::bus, frame.fault};
        case 0xc:  // break
            return {signal::trap, frame.pc};
        case 0xd:  // there is no such instruction, or not for a user, or its unit is off
        case 0xe:
        case 0xf:
        case 0x10:
        case 0x11:
            return {signal::illegal, frame.pc};
        case 0x12:
            return {signal::float_error, frame.pc};
        default:  // a page that is not there or not for this, a bound, and what may come yet
            return {signal::segment, frame.fault};
    }
}

void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context) {
    context.mask = mask;
    context.pc = frame.pc;
    context.registers[0] = 0;
    for (unsigned number = 1; number < 32; ++number) {
        context.registers[number] = frame.reg(number);
    }
    TaskRegisters state;
    kerntoll_nano_save_task_registers(&state);
    context.float_record.magic = ContextRecord::floats;
    context.float_record.size =
        offsetof(UserContext, end_record) - offsetof(UserContext, float_record);
    memcpy(context.floats, state.registers, sizeof context.floats);
    context.conditions = state.conditions;
    context.control = static_cast<uint32_t>(state.control);
    context.end_record = {};
}

bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask) {
    if (context.float_record.magic != ContextRecord::floats &&
        context.float_record.magic != ContextRecord::end) {
        return false;
    }
    // PRMD is not in the context, so nothing here could raise the user's rights; a pc in the kernel
    // faults in user mode.
    mask = context.mask;
    frame.pc = context.pc;
    for (unsigned number = 1; number < 32; ++number) {
        frame.reg(number) = context.registers[number];
    }
    if (context.float_record.magic == ContextRecord::floats) {
        TaskRegisters state;
        memcpy(state.registers, context.floats, sizeof state.registers);
        state.conditions = context.conditions;
        state.control = context.control;
        kerntoll_nano_load_task_registers(&state);
    }
    return true;
}

uintptr_t signal_frame(const entry::Frame& frame) {
    return stack_pointer(frame);
}

bool enter_handler(entry::Frame& frame, const HandlerEntry& entry) {
    frame.pc = entry.handler;
    frame.reg(1) = entry.return_to;
    frame.reg(3) = entry.frame;
    frame.reg(4) = static_cast<uintptr_t>(entry.number);
    frame.reg(5) = entry.info;
    frame.reg(6) = entry.context;
    return true;
}

uintptr_t prepare_stack(entry::Frame& frame) {
    auto* saved = reinterpret_cast<Saved*>(&frame) - 1;
    *saved = Saved{};
    saved->return_to = address_of(kerntoll_entry_begin_user);
    saved->frame = address_of(&frame);
    return address_of(saved);
}

}  // namespace kerntoll::nano::arch
