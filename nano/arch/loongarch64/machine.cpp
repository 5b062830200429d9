// SPDX-License-Identifier: MIT
#include "handlers.hpp"
#include "nano/arch.hpp"

namespace kerntoll::nano::arch {

namespace {

// Devices of the `virt` machine (QEMU, include/hw/loongarch/virt.h,
// hw/acpi/generic_event_device.h).
constexpr uintptr_t uart = device_window | 0x1fe0'01e0;
constexpr uintptr_t sleep_control = device_window | 0x100e'001c;
constexpr uint8_t sleep_off = 5U << 2U | 1U << 5U;  // type of the state S5, and go

/// Registers of the 16550 and their bits.
constexpr uintptr_t uart_data = 0;
constexpr uintptr_t uart_fifo_control = 2;
constexpr uintptr_t uart_line_status = 5;
constexpr uint8_t fifo_on = 1;
constexpr uint8_t has_input = 1U << 0U;
constexpr uint8_t can_send = 1U << 5U;

volatile uint8_t& uart_register(uintptr_t offset) {
    return *reinterpret_cast<volatile uint8_t*>(uart + offset);
}

/// Control and status registers of interrupts and the timer, and their bits.
constexpr unsigned csr_interrupts = 0x4;    // ECFG
constexpr unsigned csr_timer = 0x41;        // TCFG: the ticks to go, a multiple of 4
constexpr unsigned csr_timer_clear = 0x44;  // TICLR
constexpr uint64_t timer_on = 1;
constexpr uint64_t timer_line = 1U << 11U;  // the same in ECFG and ESTAT
constexpr entry::Cause all_lines = 0x1fff;

template <unsigned number>
void write_csr(uint64_t value) {
    asm volatile("csrwr %0, %1" : "+r"(value) : "i"(number) : "memory");
}

/// The stable counter, 100 MHz on this machine.
uint64_t ticks() {
    uint64_t time;
    asm volatile("rdtime.d %0, $zero" : "=r"(time));
    return time;
}

}  // namespace

void start_machine() {
    // With its FIFO off, the line would carry a byte at a time.
    uart_register(uart_fifo_control) = fifo_on;
    disarm_timer();
    uint64_t lines = timer_line;
    register uint64_t mask asm("$t0") = all_lines;
    asm volatile("csrxchg %0, %1, %2" : "+r"(lines) : "r"(mask), "i"(csr_interrupts));
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
    constexpr uint64_t unit = 4;
    write_csr<csr_timer>(in_nanoseconds / clock_resolution / unit * unit | timer_on);
}

void disarm_timer() {
    write_csr<csr_timer>(0);
    write_csr<csr_timer_clear>(1);
}

Interrupt interrupt_of(entry::Cause cause) {
    disarm_timer();  // it asks until it is told that it was heard
    return (cause & all_lines) == timer_line ? Interrupt::timer : Interrupt::unknown;
}

void idle(uint64_t nanoseconds) {
    arm_timer(nanoseconds);
    // Ends when the line is up, whether the interrupt may be taken or not; so interrupts stay off
    // and none can slip in before it.
    asm volatile("idle 0" : : : "memory");
    disarm_timer();
}

void power_off(int /*status*/) {
    *reinterpret_cast<volatile uint8_t*>(sleep_control) = sleep_off;
    for (;;) {
        asm volatile("idle 0");
    }
}

}  // namespace kerntoll::nano::arch
