// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/names.hpp"
#include "nano/report.hpp"
#include "nano/runtime.hpp"
#include "nano/signal.hpp"

extern "C" {
extern const char kerntoll_entry_vectors[];
extern const char kerntoll_nano_start_task[];
}

namespace kerntoll::nano::arch {

namespace {

/// What kerntoll_nano_switch_stacks takes from a stack.
struct Saved {
    uintptr_t kept[10];  ///< x19 to x28
    uintptr_t x29;
    uintptr_t return_to;
    uintptr_t thread;
    uintptr_t user_stack;  ///< SP_EL0
    uintptr_t x18;
    uintptr_t padding;
};
static_assert(sizeof(Saved) == 128);

// The record of floating point in a signal's context.
constexpr uint32_t float_magic = 0x46508001;  // FPSIMD_MAGIC
constexpr uint32_t float_size = 528;

}  // namespace

void start_traps() {
#ifdef __ARM_FEATURE_PAC_DEFAULT
    // The entry path takes its key by instructions that others do not know.
    uint64_t features;
    asm("mrs %0, id_aa64isar1_el1" : "=r"(features));
    constexpr uint64_t can_sign = 0xffU << 4U;  // APA and API
    if ((features & can_sign) == 0) {
        print(
            "nano: processor: it has no pointer authentication, which branch_protection=on needs; "
            "give QEMU -cpu max\n");
        power_off(unusable_status);
    }
#endif
    asm volatile("msr vbar_el1, %0\n\tisb" : : "r"(kerntoll_entry_vectors));
}

void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack) {
    frame = entry::Frame{};
    frame.pc = start;
    frame.sp = stack;
}

void print_registers(const entry::Frame& frame) {
    uintptr_t address;
    uintptr_t cause;
    asm volatile("mrs %0, far_el1" : "=r"(address));
    asm volatile("mrs %0, esr_el1" : "=r"(cause));
    print(" called by ");
    print_caller(frame.x[30]);
    print(" esr=", Hex{cause}, " address=", Hex{address}, " pstate=", Hex{frame.pstate},
          " pc=", Hex{frame.pc}, " sp=", Hex{stack_pointer(frame)});
    for (unsigned number = 0; number < 31; ++number) {
        print(" x", number, "=", Hex{frame.x[number]});
    }
}

Fault fault_of(const entry::Frame& frame, entry::Cause cause) {
    constexpr entry::Cause status = 0x3f;
    constexpr entry::Cause misaligned = 0x21;
    switch (entry::cause::class_of(cause)) {
        case 0x20:  // instruction, data
        case 0x24:
            return {(cause & status) == misaligned ? signal::bus : signal::segment,
                    frame.fault_address};
        case 0x22:  // program counter not aligned
            return {signal::bus, frame.pc};
        case 0x26:  // stack pointer not aligned
            return {signal::bus, frame.sp};
        case 0x28:  // floating point
        case 0x2c:
            return {signal::float_error, frame.pc};
        case 0x30:  // breakpoint, single step, watchpoint, brk
        case 0x32:
        case 0x34:
        case 0x38:
        case 0x3c:
            return {signal::trap, frame.pc};
        default:  // instructions that are unknown, trapped, of a unit that is off, or landed badly
            return {signal::illegal, frame.pc};
    }
}

void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context) {
    TaskRegisters state;
    kerntoll_nano_save_task_registers(&state);
    context.mask = mask;
    memcpy(context.x, frame.x, sizeof context.x);
    context.sp = frame.sp;
    context.pc = frame.pc;
    context.pstate = frame.pstate;
    context.float_magic = float_magic;
    context.float_size = float_size;
    context.fpsr = static_cast<uint32_t>(state.fpsr);
    context.fpcr = static_cast<uint32_t>(state.fpcr);
    memcpy(context.v, state.v, sizeof context.v);
}

bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask) {
    if (context.float_magic != float_magic || context.float_size != float_size) {
        return false;
    }
    mask = context.mask;
    memcpy(frame.x, context.x, sizeof frame.x);
    frame.sp = context.sp;
    // One in the kernel faults in user mode.
    frame.pc = context.pc;
    frame.pstate = entry::user_pstate(context.pstate);
    TaskRegisters state;
    kerntoll_nano_save_task_registers(&state);  // for the thread pointer, which is in no context
    state.fpsr = context.fpsr;
    state.fpcr = context.fpcr;
    memcpy(state.v, context.v, sizeof state.v);
    kerntoll_nano_load_task_registers(&state);
    return true;
}

bool enter_handler(entry::Frame& frame, const HandlerEntry& entry) {
    constexpr uintptr_t branch_type = 3U << 10U;  // it was not jumped to
    frame.pstate &= ~branch_type;
    frame.pc = entry.handler;
    frame.sp = entry.frame;
    frame.x[0] = static_cast<uintptr_t>(entry.number);
    frame.x[1] = entry.info;
    frame.x[2] = entry.context;
    frame.x[30] = entry.return_to;
    return true;
}

uintptr_t signal_frame(const entry::Frame& frame) {
    return frame.sp;
}

uintptr_t prepare_stack(entry::Frame& frame) {
    auto* saved = reinterpret_cast<Saved*>(&frame) - 1;
    *saved = Saved{};
    saved->return_to = reinterpret_cast<uintptr_t>(kerntoll_nano_start_task);
    saved->thread = reinterpret_cast<uintptr_t>(&frame + 1);
    return reinterpret_cast<uintptr_t>(saved);
}

}  // namespace kerntoll::nano::arch
