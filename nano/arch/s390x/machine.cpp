// SPDX-License-Identifier: MIT
// The service-call logical processor (SCLP) is the console: a command word and the address of a
// block of memory, the SCCB, go to it by one instruction, and the answer is in the block. Commands
// and event types are those of Linux's drivers/s390/char/sclp.h.
#include "handlers.hpp"
#include "nano/arch.hpp"
#include "nano/runtime.hpp"
#include "port.hpp"

namespace kerntoll::nano::arch {

namespace {

constexpr uint32_t write_event_data = 0x0076'0005;
constexpr uint32_t read_event_data = 0x0077'0005;
constexpr uint32_t write_event_mask = 0x0078'0005;
constexpr uint8_t ascii_event = 26;  // the type of what an ASCII console sends and gets
constexpr uint32_t ascii_mask = 1U << (32U - ascii_event);
constexpr uint16_t complete = 0x0020;

struct ControlHeader {
    uint16_t length;
    uint8_t function;
    uint8_t mask[3];
    uint16_t response;
};
struct EventHeader {
    uint16_t length;  ///< with this header
    uint8_t type;
    uint8_t flags;
    uint16_t reserved;
};
constexpr size_t block_size = 4096;
constexpr size_t most_bytes = block_size - sizeof(ControlHeader) - sizeof(EventHeader);
struct alignas(block_size) EventBlock {
    ControlHeader control;
    EventHeader event;
    char bytes[most_bytes];
};
struct alignas(8) MaskBlock {
    ControlHeader control;
    uint16_t reserved;
    uint16_t mask_length;
    uint32_t program_receives;
    uint32_t program_sends;
    uint32_t machine_receives;
    uint32_t machine_sends;
};
static_assert(sizeof(EventBlock) == block_size && sizeof(MaskBlock) == 32);

constinit EventBlock output = {};
/// The machine writes into it when it is asked, and nothing is asked while bytes are left.
constinit EventBlock input = {};
constinit size_t input_begin = 0;
constinit size_t input_end = 0;

void call_service(uint32_t command, void* block) {
    asm volatile(".insn rre, 0xb2200000, %0, %1"  // servc
                 :
                 : "d"(command), "a"(block)
                 : "cc", "memory");
}

void ask_for_input() {
    input.control = {};
    input.control.length = block_size;
    call_service(read_event_data, &input);
    // An ASCII console puts a zero before what it has.
    constexpr size_t header = sizeof(EventHeader) + 1;
    input_begin = 1;
    input_end = 1;
    if (input.control.response == complete && input.event.type == ascii_event &&
        input.event.length > header && input.event.length <= sizeof(EventHeader) + most_bytes) {
        input_end = input.event.length - sizeof(EventHeader);
    }
}

/// Steps of a microsecond / 4096 (Principles of Operation, "Time-of-Day Clock").
uint64_t clock() {
    uint64_t steps;
    asm volatile("stckf %0" : "=Q"(steps) : : "cc", "memory");
    return steps;
}

void set_comparator(uint64_t steps) {
    asm volatile("sckc %0" : : "Q"(steps) : "memory");
}

/// Control register 0.
namespace control {
constexpr uint64_t low_address_protection = 1U << 28U;
constexpr uint64_t execution_protection = 1U << 20U;  // of the pages that ask for it
constexpr uint64_t all_float_registers = 1U << 18U;
constexpr uint64_t vector_registers = 1U << 17U;
constexpr uint64_t comparator_interrupt = 1U << 11U;
}  // namespace control

}  // namespace

void start_machine() {
    disarm_timer();
    const uint64_t control = control::low_address_protection | control::execution_protection |
                             control::all_float_registers | control::vector_registers |
                             control::comparator_interrupt;
    asm volatile("lctlg %%c0, %%c0, %0" : : "Q"(control) : "memory");
    alignas(8) MaskBlock masks{};
    masks.control.length = sizeof masks;
    masks.mask_length = sizeof masks.program_receives;
    masks.program_receives = ascii_mask;
    masks.program_sends = ascii_mask;
    call_service(write_event_mask, &masks);
}

void write_console(const char* bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const size_t now = size - done < most_bytes ? size - done : most_bytes;
        const size_t event = sizeof(EventHeader) + now;
        output.control = {};
        output.control.length = static_cast<uint16_t>(sizeof(ControlHeader) + event);
        output.event = {static_cast<uint16_t>(event), ascii_event, 0, 0};
        memcpy(output.bytes, bytes + done, now);
        call_service(write_event_data, &output);
        done += now;
    }
}

bool console_has_input() {
    if (input_begin == input_end) {
        ask_for_input();
    }
    return input_begin != input_end;
}

size_t read_console(char* bytes, size_t size) {
    size_t count = 0;
    while (count < size && console_has_input()) {
        bytes[count++] = input.bytes[input_begin++];
    }
    return count;
}

uint64_t nanoseconds() {
    // steps × 1000 / 4096, which would not fit as it stands.
    constexpr unsigned shift = 9;
    constexpr uint64_t per_512_steps = 125;
    constexpr uint64_t rest = (1U << shift) - 1U;
    const uint64_t steps = clock();
    return (steps >> shift) * per_512_steps + ((steps & rest) * per_512_steps >> shift);
}

void arm_timer(uint64_t in_nanoseconds) {
    set_comparator(clock() + in_nanoseconds * 512 / 125);
}

void disarm_timer() {
    set_comparator(UINT64_MAX);
}

Interrupt interrupt_of(entry::Cause cause) {
    constexpr entry::Cause clock_comparator = 0x1004;
    disarm_timer();  // it asks for as long as its time is past
    return cause == (entry::cause::external | clock_comparator) ? Interrupt::timer
                                                                : Interrupt::unknown;
}

void idle(uint64_t nanoseconds) {
    constexpr uintptr_t wait = uintptr_t{1} << 49U;
    uintptr_t psw[2] = {entry::port::psw::kernel | entry::port::psw::external | wait, 0};
    arm_timer(nanoseconds);
    // The interrupt ends the wait (stub.S takes the bit back) and goes on at the label.
    asm volatile("larl %%r1, 0f\n\tstg %%r1, 8(%0)\n\tlpswe 0(%0)\n0:"
                 :
                 : "a"(psw)
                 : "r1", "cc", "memory");
    entry::port::interrupts_off();
    disarm_timer();
}

void power_off(int status) {
    // A disabled wait ends the machine. QEMU takes this address for success and any other for a
    // crash; its exit status is 1 then, if it was started with `-action panic=exit-failure`.
    constexpr uintptr_t disabled_wait = uintptr_t{1} << 49U;
    constexpr uintptr_t success = 0xfff;
    const uintptr_t psw[2] = {entry::port::psw::kernel | disabled_wait,
                              status == 0 ? success : static_cast<uintptr_t>(status) & 0xffU};
    for (;;) {
        asm volatile("lpswe 0(%0)" : : "a"(psw), "m"(psw) : "memory");
    }
}

}  // namespace kerntoll::nano::arch
