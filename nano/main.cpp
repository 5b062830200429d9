// SPDX-License-Identifier: MIT
// From the end of the port's boot code to the first program's first instruction.
#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/elf.hpp"
#include "nano/memory.hpp"
#include "nano/parameters.hpp"
#include "nano/report.hpp"
#include "nano/runtime.hpp"
#include "nano/scheduler.hpp"
#include "nano/signal.hpp"
#include "nano/syscall_work/audit.hpp"
#include "nano/syscall_work/seccomp.hpp"
#include "nano/syscall_work/tracepoint.hpp"
#include "nano/syscall_work/tracer.hpp"
#include "nano/syscall_work/user_dispatch.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

[[KERNTOLL_NANO_STACKS]] constinit KernelStack kerntoll_nano_boot_stack = {};

namespace {

constinit Parameters parameters;
constinit size_t pages_at_start = 0;  ///< free when the first task began

[[noreturn]] void refuse(const char* what, const char* why) {
    print("nano: ", what, ": ", why, "\n");
    shut_down(unusable_status);
}

/// Copies the block, so that it is checked once and cannot change afterwards.
void read_parameters() {
    Parameters given;
    memcpy(&given, arch::at_physical(arch::places.parameters), sizeof given);
    if (given.magic != Parameters::right_magic) {
        refuse("parameter block", "its magic is wrong; was one put where this port looks for it?");
    }
    if (given.version != Parameters::right_version || given.size != sizeof given) {
        refuse("parameter block", "it is of another version than this kernel");
    }
    if (given.program_size > arch::places.program_limit) {
        refuse("parameter block", "the program is larger than its place");
    }
    if ((given.switches & ~all_switches) != 0 || given.zero != 0) {
        refuse("parameter block", "it has a switch that this kernel does not know");
    }
    parameters = given;
}

bool has(Switch wanted) {
    return (parameters.switches & static_cast<uint32_t>(wanted)) != 0;
}

/// Maps the stack and puts argc, argv, the environment and the auxiliary vector on it: nothing but
/// a page's size and who the user is. The user's stack pointer, or 0 where memory is out.
uintptr_t make_user_stack(AddressSpace& space) {
    uintptr_t last = 0;
    for (size_t i = 1; i <= stack_pages; ++i) {
        last = allocate_page();
        if (last == 0 || !space.map(stack_top - i * page_size, last, Access::read_write)) {
            return 0;
        }
    }
    constexpr uintptr_t page_size_key = 6;  // AT_PAGESZ
    constexpr uintptr_t user_key = 11;      // AT_UID
    const uintptr_t words[] = {0, 0, 0, page_size_key, page_size, user_key, 0, 0, 0, 0};
    static_assert(sizeof words % 16 == 0, "the stack pointer has to be aligned to 16 bytes");
    AddressSpace::Mapping top;
    if (!space.find(stack_top - sizeof words, top)) {
        return 0;
    }
    memcpy(arch::at_physical(top.physical), words, sizeof words);
    return stack_top - sizeof words;
}

Task& make_first_task() {
    Task* const task = make_task();
    if (task == nullptr) {
        refuse("first task", "memory is out");
    }
    const auto* const program =
        static_cast<const unsigned char*>(arch::at_physical(arch::places.program));
    uintptr_t start = 0;
    if (const char* why = load_elf(program, parameters.program_size, task->space, start);
        why != nullptr) {
        refuse("program", why);
    }
    const uintptr_t stack = make_user_stack(task->space);
    File* const console = make_file(*find_path("/dev/console"), OpenFor::both);
    if (stack == 0 || console == nullptr) {
        refuse("first task", "memory is out");
    }
    constexpr unsigned standard_descriptors = 3;
    console->references = standard_descriptors;
    for (unsigned number = 0; number < standard_descriptors; ++number) {
        task->descriptors.put(number, *console);
    }
    arch::start_user(frame_of(*task), start, stack);
    task->registers = arch::initial_registers;
    // stack_offset=on: where the first call's stack is displaced to must not be the same each time.
    task->kernel.thread.stack_offset = static_cast<uint32_t>(arch::nanoseconds()) | 1U;
    task->kernel_stack_pointer = arch::prepare_stack(frame_of(*task));
    return *task;
}

/// Turns on the work that the parameter block asks for, for the task that is to run first.
void start_work() {
    if (has(Switch::sleepless)) {
        never_rest();
    }
    if (has(Switch::tracer)) {
        start_tracer(parameters.traced_call, parameters.replaced_by);
    }
    if (has(Switch::seccomp)) {
        install_argument_filter();
    }
    if (has(Switch::tracepoint)) {
        start_tracepoint();
    }
    if (has(Switch::audit)) {
        start_audit();
    }
    if (has(Switch::user_dispatch)) {
        // The only range that lets everything through without a byte of the user's.
        const UserDispatch everything{.range_begin = 0, .range_size = user_limit};
        set_user_dispatch(&everything);
    }
}

}  // namespace

void shut_down(int status) {
    if (has(Switch::report)) {
        report_tracer();
        report_tracepoint();
        report_audit();
        report_interrupts();
        print("nano: memory free_pages=", free_pages(), " at_start=", pages_at_start, "\n");
    }
    arch::power_off(status);
}

extern "C" [[noreturn]] void kerntoll_nano_main() {
    arch::start_paging();
    arch::start_traps();
    arch::start_machine();
    make_trampoline();
    read_parameters();
    Task& first = make_first_task();
    set_first_task(first);
    start_work();
    pages_at_start = free_pages();
    start_first_task();
}

}  // namespace kerntoll::nano
