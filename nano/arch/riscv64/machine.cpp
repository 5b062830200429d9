// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"

namespace kerntoll::nano::arch {

namespace {

// Devices of the `virt` machine (QEMU, hw/riscv/virt.c).
constexpr uintptr_t test_device = devices + 0x10'0000;
constexpr uintptr_t uart = devices + 0x1000'0000;

/// Registers of the 16550 and their bits.
constexpr uintptr_t uart_data = 0;
constexpr uintptr_t uart_fifo_control = 2;
constexpr uintptr_t uart_line_status = 5;
constexpr uint8_t fifo_on = 1;
constexpr uint8_t has_input = 1U << 0U;
constexpr uint8_t can_send = 1U << 5U;

constexpr uint64_t supervisor_timer = 1U << 5U;  // STIE of sie, STIP of sip

volatile uint8_t& uart_register(uintptr_t offset) {
    return *reinterpret_cast<volatile uint8_t*>(uart + offset);
}

/// The time CSR, 10 MHz on this machine.
uint64_t ticks() {
    uint64_t time;
    asm volatile("rdtime %0" : "=r"(time));
    return time;
}

/// stimecmp of the Sstc extension, by number: assemblers of gcc 12 do not know its name.
void set_timer(uint64_t at_ticks) {
    asm volatile("csrw 0x14d, %0" : : "r"(at_ticks));
}

}  // namespace

void start_machine() {
    // With its FIFO off, the line would carry a byte at a time.
    uart_register(uart_fifo_control) = fifo_on;
    disarm_timer();
    asm volatile("csrs sie, %0" : : "r"(supervisor_timer));
}

void write_console(const char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        while ((uart_register(uart_line_status) & can_send) == 0) {
        }
        uart_register(uart_data) = static_cast<uint8_t>(bytes[i]);
    }
}

bool console_has_input() {
    return (uart_register(uart_line_status) & has_input) != 0;
}

size_t read_console(char* bytes, size_t size) {
    size_t count = 0;
    while (count < size && console_has_input()) {
        bytes[count++] = static_cast<char>(uart_register(uart_data));
    }
    return count;
}

uint64_t nanoseconds() {
    return ticks() * clock_resolution;
}

void arm_timer(uint64_t in_nanoseconds) {
    set_timer(ticks() + in_nanoseconds / clock_resolution);
}

void disarm_timer() {
    set_timer(UINT64_MAX);
}

Interrupt interrupt_of(entry::Cause cause) {
    constexpr entry::Cause interrupt = entry::Cause{1} << 63U;
    constexpr entry::Cause supervisor = 5;
    return cause == (interrupt | supervisor) ? Interrupt::timer : Interrupt::unknown;
}

void idle(uint64_t nanoseconds) {
    arm_timer(nanoseconds);
    // Ends with the interrupt pending, taken or not (privileged specification, "Wait for
    // Interrupt"); so interrupts stay off and none can slip in before it.
    asm volatile("wfi" : : : "memory");
    disarm_timer();
}

void power_off(int status) {
    constexpr uint32_t pass = 0x5555;
    constexpr uint32_t fail = 0x3333;  // with the status in the upper half
    volatile uint32_t& test = *reinterpret_cast<volatile uint32_t*>(test_device);
    test = status == 0 ? pass : (static_cast<uint32_t>(status) & 0xffU) << 16U | fail;
    for (;;) {
        asm volatile("wfi");
    }
}

}  // namespace kerntoll::nano::arch
