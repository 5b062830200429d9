// SPDX-License-Identifier: MIT
// The seam to the architecture: what a port brings, and all that the rest of nano knows of one. A
// port is a folder nano/arch/<arch>/, which is on the include path, with these files:
//
//   abi.hpp      elf_machine, audit_architecture, machine_name; KERNTOLL_NUMBER, which of a call's
//                numbers in calls/table.def is this port's; FileStatus, UserAction as Linux has
//                them there; clone_flags_argument, clone_stack_argument
//   places.hpp   places (nano/places.hpp), in namespace kerntoll::nano::<arch>: what the lab too
//                must know of the port
//   machine.hpp  the same as arch::places; at_physical(), physical_of(): the kernel's address of
//                physical memory and back; clock_resolution: nanoseconds per step of the clock
//   paging.hpp   page_size, Entry, page_bits, table_bits, no_page, no_table, table_entry(),
//                table_of(), page_entry(), page_of(), access_of(); Root
//   context.hpp  program_counter(), set_program_counter(), stack_pointer() of a frame;
//                found_no_stack(): whether a trap says that there was no stack to take another on;
//                came_in_user_mode(): whether the kernel's exception came upon a user;
//                TaskRegisters and initial_registers: all user registers that no frame holds,
//                floating point and whatever else the kernel does not touch; UserContext, of 1 KiB
//                at most, since one lies on the kernel stack; red_zone, return_instructions
//   machine.cpp, paging.cpp, context.cpp   what is declared below
//   switch.S     kerntoll_nano_switch_stacks, …_save_task_registers, …_load_task_registers
//   boot.S       from the machine's first instruction to kerntoll_nano_main, on
//                kerntoll_nano_boot_stack (main.cpp) and with its Thread as the current one
//   link.ld      the image: kerntoll_nano_image, …_text_end, …_constants_end, …_image_end on
//                borders of pages; the section .names (names.hpp) among the constants
//
// Beside it entry/arch/<arch>/ has the entry path itself, and how all of it is compiled (flags).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "abi.hpp"
#include "context.hpp"
#include "frame.hpp"
#include "machine.hpp"
#include "nano/access.hpp"
#include "paging.hpp"

namespace kerntoll::nano::arch {

// --- machine.cpp ---

/// Turns on what is neither paging nor traps: console, clock, timer. Once, after both.
void start_machine();

/// Writes all of it, waiting where the line is slower.
void write_console(const char* bytes, size_t size);
/// Takes what has arrived, at most `size` bytes, without waiting.
[[nodiscard]] size_t read_console(char* bytes, size_t size);
/// Whether read_console() would find something.
[[nodiscard]] bool console_has_input();

/// Nanoseconds since some moment; never goes back.
[[nodiscard]] uint64_t nanoseconds();

/// An interrupt in so many nanoseconds. Replaces one that is armed.
void arm_timer(uint64_t in_nanoseconds);
/// No interrupt until it is armed again.
void disarm_timer();
/// Whose an interrupt is.
enum class Interrupt : uint8_t {
    timer,
    uninvited,  ///< nobody's, and comes all the same: no flag keeps it out
    unknown,    ///< of what was never turned on
};
/// One that the machine wants acknowledged is acknowledged here.
[[nodiscard]] Interrupt interrupt_of(entry::Cause cause);

/// Waits about so long without using the host's time, or a moment where the machine cannot. Called
/// and left with interrupts off; leaves the timer disarmed.
void idle(uint64_t nanoseconds);

/// Ends the machine; 0 is success. Where the machine has an exit status it is this one, cut to a
/// byte, or 1 where it has no more than that. Where it has none, what was printed says it.
[[noreturn]] void power_off(int status);

// --- paging.cpp ---

/// Turns paging on, with nothing in the user's part. Once, before everything else.
void start_paging();
/// Puts what a task has above its table of tables into `root`. False where memory is out.
[[nodiscard]] bool make_root(uintptr_t user_table, Root& root);
/// Gives that back. Of a root that was never made, too.
void free_root(Root& root);
/// Makes a root the current one, and forgets translations and instructions of before.
void activate(const Root& root);

// --- context.cpp ---

/// Tells the processor where the entry path is. Once, after start_paging().
void start_traps();

/// A frame that starts a user's program: all registers 0 but these.
void start_user(entry::Frame& frame, uintptr_t start, uintptr_t stack);
/// ` called by … pc=… x1=…`: who called, where a register tells that, and everything that a bug in
/// the kernel is found by.
void print_registers(const entry::Frame& frame);

/// An exception that a user ran into, as a signal.
struct Fault {
    int signal;
    uintptr_t address;  ///< what was accessed; for an instruction that is at fault, where it lies
};
/// Interrupts are off.
[[nodiscard]] Fault fault_of(const entry::Frame& frame, entry::Cause cause);

/// Where a handler and what it is given lie; all are user addresses.
struct HandlerEntry {
    uintptr_t handler;
    uintptr_t frame;  ///< the new stack pointer
    int number;
    uintptr_t info;
    uintptr_t context;
    uintptr_t return_to;
};
/// Fills in a signal's context from the registers, those of floating point included.
void save_context(const entry::Frame& frame, uint64_t mask, UserContext& context);
/// The opposite. What comes out is a user's state whatever lay there. False where this port can
/// make none of it.
[[nodiscard]] bool restore_context(const UserContext& context, entry::Frame& frame, uint64_t& mask);
/// Makes a frame go on in a handler. False where what that takes cannot be put on the user's stack.
[[nodiscard]] bool enter_handler(entry::Frame& frame, const HandlerEntry& entry);
/// Where the signal's frame lies when a handler has returned and asks for rt_sigreturn.
[[nodiscard]] uintptr_t signal_frame(const entry::Frame& frame);

/// Prepares a stack so that switch_stacks() to it returns to the user with `frame`, which lies
/// below the Thread of that stack. The stack pointer to switch to.
[[nodiscard]] uintptr_t prepare_stack(entry::Frame& frame);

}  // namespace kerntoll::nano::arch

// --- switch.S ---

extern "C" {
/// Leaves this stack, and comes back when somebody switches to what is then in `old_stack`.
/// Interrupts are off. With the stack go the Thread, what C keeps, and whatever else the stub of
/// frame=lazy leaves in the user's registers.
void kerntoll_nano_switch_stacks(uintptr_t* old_stack, uintptr_t new_stack);
/// The registers that the kernel does not touch and another task may: floating point and, as the
/// port has them, vectors, a thread pointer, selectors of segments, access registers.
void kerntoll_nano_save_task_registers(kerntoll::nano::arch::TaskRegisters* state);
void kerntoll_nano_load_task_registers(const kerntoll::nano::arch::TaskRegisters* state);
}
