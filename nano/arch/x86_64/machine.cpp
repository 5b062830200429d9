// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"

namespace kerntoll::nano::arch {

namespace {

void out(uint16_t port, uint8_t value) {
    asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}
uint8_t in(uint16_t port) {
    uint8_t value;
    asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

/// Registers of the 16550 and their bits.
constexpr uint16_t uart = 0x3f8;
constexpr uint16_t uart_data = uart;
constexpr uint16_t uart_fifo_control = uart + 2;
constexpr uint16_t uart_line_status = uart + 5;
constexpr uint8_t fifo_on = 1;
constexpr uint8_t has_input = 1U << 0U;
constexpr uint8_t can_send = 1U << 5U;

/// The old interrupt controllers' masks. They tick on the vectors of exceptions unless masked.
constexpr uint16_t first_8259_mask = 0x21;
constexpr uint16_t second_8259_mask = 0xa1;

/// The interval timer 8254: channel 0 counts down at a known rate.
constexpr uint16_t pit_count = 0x40;
constexpr uint16_t pit_command = 0x43;
constexpr uint8_t pit_run = 0x34;  // channel 0, both bytes, over and over from 65536 on
constexpr uint8_t pit_latch = 0x00;
constexpr uint64_t pit_hz = 1'193'182;

/// The local APIC (Intel SDM volume 3, 11.4), by the offsets of its registers.
constexpr uintptr_t apic_end_of_interrupt = 0xb0;
constexpr uintptr_t apic_spurious = 0xf0;
constexpr uintptr_t apic_timer = 0x320;
constexpr uintptr_t apic_line_0 = 0x350;
constexpr uintptr_t apic_line_1 = 0x360;
constexpr uintptr_t apic_initial_count = 0x380;
constexpr uintptr_t apic_current_count = 0x390;
constexpr uintptr_t apic_divider = 0x3e0;
constexpr uint32_t apic_on = 1U << 8U;
constexpr uint32_t apic_masked = 1U << 16U;
constexpr uint32_t apic_nmi = 4U << 8U;
constexpr uint32_t apic_divide_by_one = 0xb;
constexpr uint32_t apic_longest = UINT32_MAX;

constexpr uint32_t timer_vector = 0x20;
constexpr uint32_t spurious_vector = 0x3f;

volatile uint32_t& apic(uintptr_t offset) {
    return *reinterpret_cast<volatile uint32_t*>(local_apic + offset);
}

uint64_t ticks() {
    uint32_t low;
    uint32_t high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return uint64_t{high} << 32U | low;
}

/// A rate as a factor of 2^-shift, so that no conversion divides.
constexpr unsigned shift = 32;
constinit uint64_t nanoseconds_per_tick = 0;
constinit uint64_t apic_per_nanosecond = 0;

uint64_t scaled(uint64_t value, uint64_t factor) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(Wide{value} * factor >> shift);
}

struct Moment {
    uint64_t ticks;
    uint32_t pit;
    uint32_t apic;
};
/// The three counters at about one moment: of a few tries the one that took least, since the
/// machine may be a process that others take the processor from.
Moment now() {
    Moment best{};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 4; ++i) {
        const uint64_t before = ticks();
        out(pit_command, pit_latch);
        const uint32_t low = in(pit_count);
        const uint32_t pit = low | uint32_t{in(pit_count)} << 8U;
        const uint32_t count = apic(apic_current_count);
        const uint64_t after = ticks();
        if (after - before < least) {
            least = after - before;
            best = {before + least / 2, pit, count};
        }
    }
    return best;
}

struct Rates {
    uint64_t ticks_hz;
    uint64_t apic_hz;
};
Rates measure() {
    constexpr uint32_t about_two_milliseconds = 2400;
    const Moment begin = now();
    Moment end;
    uint32_t passed;
    do {
        end = now();
        passed = (begin.pit - end.pit) & 0xffffU;
    } while (passed < about_two_milliseconds);
    return {(end.ticks - begin.ticks) * pit_hz / passed,
            uint64_t{begin.apic - end.apic} * pit_hz / passed};
}

/// Measures until two in a row agree: one that was interrupted for longer than the interval timer
/// counts is far off.
Rates calibrate() {
    out(pit_command, pit_run);
    out(pit_count, 0);
    out(pit_count, 0);
    apic(apic_timer) = apic_masked | timer_vector;
    apic(apic_divider) = apic_divide_by_one;
    apic(apic_initial_count) = apic_longest;
    Rates last = measure();
    for (int tries = 0; tries < 20; ++tries) {
        const Rates next = measure();
        const uint64_t difference = next.ticks_hz > last.ticks_hz ? next.ticks_hz - last.ticks_hz
                                                                  : last.ticks_hz - next.ticks_hz;
        last = next;
        constexpr uint64_t tolerance = 200;  // half a percent
        if (difference < next.ticks_hz / tolerance) {
            break;
        }
    }
    apic(apic_initial_count) = 0;
    return last;
}

}  // namespace

void start_machine() {
    // With its FIFO off, the line would carry a byte at a time.
    out(uart_fifo_control, fifo_on);
    out(first_8259_mask, 0xff);
    out(second_8259_mask, 0xff);
    apic(apic_spurious) = apic_on | spurious_vector;
    apic(apic_line_0) = apic_masked;
    apic(apic_line_1) = apic_nmi;  // as PCs are wired
    const Rates rates = calibrate();
    constexpr uint64_t second = 1'000'000'000;
    nanoseconds_per_tick = (second << shift) / rates.ticks_hz;
    apic_per_nanosecond = (rates.apic_hz << shift) / second;
    apic(apic_timer) = timer_vector;
}

void write_console(const char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        while ((in(uart_line_status)&can_send) == 0) {
        }
        out(uart_data, static_cast<uint8_t>(bytes[i]));
    }
}

bool console_has_input() {
    return (in(uart_line_status)&has_input) != 0;
}

size_t read_console(char* bytes, size_t size) {
    size_t count = 0;
    while (count < size && console_has_input()) {
        bytes[count++] = static_cast<char>(in(uart_data));
    }
    return count;
}

uint64_t nanoseconds() {
    return scaled(ticks(), nanoseconds_per_tick);
}

void arm_timer(uint64_t in_nanoseconds) {
    const uint64_t count = scaled(in_nanoseconds, apic_per_nanosecond);
    // A count of 0 would stop it.
    apic(apic_initial_count) = count == 0             ? 1
                               : count < apic_longest ? static_cast<uint32_t>(count)
                                                      : apic_longest;
}

void disarm_timer() {
    apic(apic_initial_count) = 0;
}

Interrupt interrupt_of(entry::Cause cause) {
    if (cause == VECTOR_NMI) {
        return Interrupt::uninvited;  // the APIC knows nothing of it
    }
    // A timer that is stopped while it fires may leave this, which must not be acknowledged.
    if (cause == spurious_vector) {
        return Interrupt::timer;
    }
    apic(apic_end_of_interrupt) = 0;
    return cause == timer_vector ? Interrupt::timer : Interrupt::unknown;
}

void idle(uint64_t nanoseconds) {
    arm_timer(nanoseconds);
    // Interrupts wait for the instruction behind sti, so none can slip in before hlt.
    asm volatile("sti\n\thlt\n\tcli" : : : "memory");
    disarm_timer();
}

void power_off(int status) {
    constexpr uint16_t debug_exit = 0xf4;
    constexpr uintptr_t sleep_control = event_device + 0x200;
    constexpr uint8_t sleep_now = 5U << 2U | 1U << 5U;  // ACPI's state S5
    if (status != 0) {
        out(debug_exit, static_cast<uint8_t>(status));
    }
    *reinterpret_cast<volatile uint8_t*>(sleep_control) = sleep_now;
    for (;;) {
        asm volatile("cli\n\thlt");
    }
}

}  // namespace kerntoll::nano::arch
