// SPDX-License-Identifier: MIT
#include "nano/hooks.hpp"

#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/panic.hpp"
#include "nano/report.hpp"
#include "nano/scheduler.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

constinit unsigned long uninvited = 0;

}  // namespace

void report_interrupts() {
    print("nano: interrupts uninvited=", uninvited, "\n");
}

void Hooks::exception(entry::Frame& frame, entry::Thread&, entry::Cause cause) {
    constexpr int nothing_there = 1;  // SEGV_MAPERR, and the usual code of the other signals
    constexpr int not_allowed = 2;    // SEGV_ACCERR
    const arch::Fault fault = arch::fault_of(frame, cause);
    entry::port::interrupts_on();  // not before: the address is the last trap's
    AddressSpace::Mapping mapping;
    const bool is_there =
        fault.signal == signal::segment && current_task().space.find(fault.address, mapping);
    force_signal({.number = fault.signal,
                  .code = is_there ? not_allowed : nothing_there,
                  .address = fault.address});
}

void Hooks::kernel_exception(entry::Frame& frame, entry::Cause cause) {
    const uintptr_t stack = arch::stack_pointer(frame);
    if (arch::found_no_stack(cause) && stack >= user_limit &&
        !is_kernel_stack(stack - sizeof(uintptr_t))) {
        panic_about_overflow(arch::program_counter(frame), stack);
    }
    panic(arch::came_in_user_mode(frame) ? "an exception in user mode that is not the user's"
                                         : "an exception in the kernel",
          frame);
}

void Hooks::interrupt(entry::Frame& frame, entry::Cause cause) {
    switch (arch::interrupt_of(cause)) {
        case arch::Interrupt::timer:
            tick();
            break;
        case arch::Interrupt::uninvited:
            ++uninvited;  // and nothing else: it may have come in the middle of anything
            break;
        case arch::Interrupt::unknown:
            panic("an interrupt that nobody asked for", frame);
    }
}

void Hooks::whole_frame_call(entry::Frame& frame, entry::Thread&) {
    entry::port::set_result(frame, current_task().whole_frame_call(frame));
}

void Hooks::reschedule(entry::Thread&) {
    ask_for_rseq(current_task());
    yield();
}

void Hooks::signal(entry::Frame& frame, entry::Thread&) {
    deliver_signals(frame);
}

void Hooks::state_fault(entry::Frame& frame, const char* what) {
    panic(what, frame);
}

}  // namespace kerntoll::nano

/// The stub found that the kernel's stack overflows (the contract stands in stub.S).
extern "C" [[noreturn]] void kerntoll_entry_stack_overflow(uintptr_t pc, uintptr_t stack) {
    kerntoll::nano::panic_about_overflow(pc, stack);
}
