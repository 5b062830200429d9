// SPDX-License-Identifier: MIT
#include "nano/hooks.hpp"

#include "nano/arch.hpp"
#include "nano/panic.hpp"
#include "nano/scheduler.hpp"
#include "nano/signal.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

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

void Hooks::kernel_exception(entry::Frame& frame, entry::Cause) {
    panic("an exception in the kernel", frame);
}

void Hooks::interrupt(entry::Frame& frame, entry::Cause cause) {
    if (!arch::is_timer(cause)) {
        panic("an interrupt that nobody asked for", frame);
    }
    tick();
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

/// The stub found the kernel's stack used up (the contract stands in stub.S).
extern "C" [[noreturn]] void kerntoll_entry_stack_used_up(uintptr_t pc, uintptr_t stack) {
    kerntoll::nano::panic_about_stack(pc, stack);
}
