// SPDX-License-Identifier: MIT
#include "handlers.hpp"
#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/names.hpp"
#include "nano/runtime.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

extern "C" {
extern const char kerntoll_entry_call_vector[];
extern const char kerntoll_entry_external_vector[];
extern const char kerntoll_entry_program_vector[];
extern const char kerntoll_entry_begin_user[];
}

namespace kerntoll::nano::arch {

namespace {

/// What kerntoll_nano_switch_stacks finds at a stack pointer.
struct Saved {
    uintptr_t back_chain;
    uintptr_t compiler;
    uintptr_t frame;        ///< the Thread's,
    uintptr_t below_frame;  ///< and the stack pointer there
    uintptr_t unused[2];
    uintptr_t kept[8];  ///< r6 to r13
    uintptr_t return_to;
    uintptr_t stack;
    uintptr_t floats[4];
};
static_assert(sizeof(Saved) == ABI_AREA && offsetof(Saved, kept) == 48);

/// Stores into the lowcore. Not through a pointer, since compilers believe that there is nothing at
/// such an address.
void store(uintptr_t offset, uint64_t value) {
    asm volatile("stg %0, 0(%1)" : : "d"(value), "a"(offset) : "memory");
}

void set_new_psw(uintptr_t offset, uintptr_t mask, uintptr_t address) {
    store(offset, mask);
    store(offset + sizeof mask, address);
}

/// What debuggers put in place of an instruction (Linux: S390_BREAKPOINT_U16).
bool is_breakpoint(uintptr_t address) {
    constexpr uint16_t breakpoint = 0x0001;
    uint16_t instruction = 0;
    return read_user(instruction, address) && instruction == breakpoint;
}

uintptr_t address_of(const void* label) {
    return reinterpret_cast<uintptr_t>(label);
}

}  // namespace

void start_traps() {
    // Assigned Storage Locations: the new PSW of each class. Those of what never comes end the
    // machine, by a disabled wait at an address of their own.
    constexpr uintptr_t restart = 0x1a0;
    constexpr uintptr_t external = 0x1b0;
    constexpr uintptr_t call = 0x1c0;
    constexpr uintptr_t program = 0x1d0;
    constexpr uintptr_t machine_check = 0x1e0;
    constexpr uintptr_t device = 0x1f0;
    constexpr uintptr_t kernel = entry::port::psw::kernel;
    constexpr uintptr_t disabled_wait = uintptr_t{1} << 49U;
    constexpr uintptr_t never_come[] = {restart, machine_check, device};
    for (const uintptr_t never : never_come) {
        set_new_psw(never, kernel | disabled_wait, never);
    }
    set_new_psw(external, kernel, address_of(kerntoll_entry_external_vector));
    set_new_psw(call, kernel, address_of(kerntoll_entry_call_vector));
    set_new_psw(program, kernel, address_of(kerntoll_entry_program_vector));
    const uintptr_t frame = address_of(&kerntoll_nano_boot_stack.thread) - sizeof(entry::Frame);
    store(LOWCORE_KERNEL(2), frame);
    store(LOWCORE_KERNEL(15), frame - ABI_AREA);
    // LOWCORE_MASK_ON is its first byte, LOWCORE_MASK_OFF the one behind.
    store(LOWCORE_MASK_ON, entry::port::psw::external);
}

void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack) {
    frame = entry::Frame{};
    frame.mask = entry::port::user_mask(0);
    frame.address = start;
    frame.reg(15) = stack;
}

void print_registers(const entry::Frame& frame) {
    print(" called by ");
    print_caller(frame.reg(14));
    print(" fault=", Hex{frame.fault}, " mask=", Hex{frame.mask}, " address=", Hex{frame.address});
    for (unsigned number = 0; number < 16; ++number) {
        print(" r", number, "=", Hex{frame.reg(number)});
    }
}

Fault fault_of(const entry::Frame& frame, entry::Cause cause) {
    constexpr uintptr_t page = ~uintptr_t{0xfff};
    const uintptr_t instruction = frame.address - entry::length(cause);
    switch (cause & entry::cause::code & ~entry::cause::tracing) {
        case 0:  // nothing but a tracing event
            return {signal::trap, frame.address};
        case 0x01:  // operation
            return {is_breakpoint(instruction) ? signal::trap : signal::illegal, instruction};
        case entry::cause::protection:
        case 0x05:  // addressing
        case 0x10:  // segment, page, address space, region: not there
        case 0x11:
        case 0x38:
        case 0x39:
        case 0x3a:
        case 0x3b:
            return {signal::segment, frame.fault & page};
        case 0x07:  // data: a trap of floating point or a decimal that is none
        case 0x08:  // fixed-point overflow and divide, decimal, floating point of base 16
        case 0x09:
        case 0x0a:
        case 0x0b:
        case 0x0c:
        case 0x0d:
        case 0x0e:
        case 0x0f:
        case 0x1b:  // vector processing
        case 0x1d:
            return {signal::float_error, instruction};
        default:  // privileged operation, execute, specification, special operation
            return {signal::illegal, instruction};
    }
}

void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context) {
    context.mask = mask;
    context.psw[0] = frame.mask;
    context.psw[1] = frame.address;
    for (unsigned number = 0; number < 16; ++number) {
        context.registers[number] = frame.reg(number);
    }
    TaskRegisters state;
    kerntoll_nano_save_task_registers(&state);
    memcpy(context.access, state.access, sizeof context.access);
    context.float_control = state.control;
    for (unsigned number = 0; number < 16; ++number) {
        context.floats[number] = state.vectors[number][0];
        context.vectors_low[number] = state.vectors[number][1];
    }
    memcpy(context.vectors_high, state.vectors[16], sizeof context.vectors_high);
}

bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask) {
    // Bits of the control register that any processor takes: masks, flags, code, rounding 0 to 3.
    constexpr uint32_t valid_control = 0xf8f8ff73;
    mask = context.mask;
    frame.mask = entry::port::user_mask(context.psw[0]);
    frame.address = context.psw[1];
    for (unsigned number = 0; number < 16; ++number) {
        frame.reg(number) = context.registers[number];
    }
    TaskRegisters state;
    memcpy(state.access, context.access, sizeof state.access);
    state.control = context.float_control & valid_control;
    for (unsigned number = 0; number < 16; ++number) {
        state.vectors[number][0] = context.floats[number];
        state.vectors[number][1] = context.vectors_low[number];
    }
    memcpy(state.vectors[16], context.vectors_high, sizeof context.vectors_high);
    kerntoll_nano_load_task_registers(&state);
    return true;
}

bool enter_handler(entry::Frame& frame, const HandlerEntry& entry) {
    // Below the signal's frame lies the area that belongs to the handler, with the back chain.
    const uintptr_t stack = entry.frame - ABI_AREA;
    if (!write_user(stack, frame.reg(15))) {
        return false;
    }
    frame.mask = entry::port::user_mask(0);
    frame.address = entry.handler;
    frame.reg(2) = static_cast<uintptr_t>(entry.number);
    frame.reg(3) = entry.info;
    frame.reg(4) = entry.context;
    frame.reg(14) = entry.return_to;
    frame.reg(15) = stack;
    return true;
}

uintptr_t signal_frame(const entry::Frame& frame) {
    return frame.reg(15) + ABI_AREA;
}

uintptr_t prepare_stack(entry::Frame& frame) {
    auto* saved = reinterpret_cast<Saved*>(&frame) - 1;
    *saved = Saved{};
    saved->frame = address_of(&frame);
    saved->below_frame = address_of(saved);
    saved->return_to = address_of(kerntoll_entry_begin_user);
    saved->stack = address_of(saved);
    return address_of(saved);
}

}  // namespace kerntoll::nano::arch
