// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "port.hpp"

namespace kerntoll::nano::arch {

namespace {

// Devices of the `virt` machine (QEMU, hw/arm/virt.c).
constexpr uintptr_t distributor = devices + 0x0800'0000;
constexpr uintptr_t interrupt_interface = devices + 0x0801'0000;
constexpr uintptr_t uart = devices + 0x0900'0000;

/// switch.S: asks for a semihosting operation; comes back where there is nobody who would do it.
extern "C" void kerntoll_nano_semihosting(uint64_t operation, const uint64_t* parameters);

/// Registers of the PL011 and their bits.
constexpr uintptr_t uart_data = 0x00;
constexpr uintptr_t uart_flags = 0x18;
constexpr uintptr_t uart_line = 0x2c;
constexpr uintptr_t uart_control = 0x30;
constexpr uint32_t no_input = 1U << 4U;
constexpr uint32_t cannot_send = 1U << 5U;
constexpr uint32_t eight_bits_with_fifo = 0x70;
constexpr uint32_t on_both_ways = 0x301;

/// Registers of the GIC (Arm IHI 0048).
constexpr uintptr_t distributor_control = 0x000;
constexpr uintptr_t distributor_enable = 0x100;
constexpr uintptr_t distributor_priority = 0x400;
constexpr uintptr_t interface_control = 0x00;
constexpr uintptr_t interface_priority_mask = 0x04;
constexpr uintptr_t interface_acknowledge = 0x0c;
constexpr uintptr_t interface_end = 0x10;
constexpr uint32_t lets_all_through = 0xff;
constexpr uint32_t interrupt_number = 0x3ff;
constexpr uint32_t no_interrupt = 1023;

/// The virtual timer's private interrupt.
constexpr uint32_t timer_interrupt = 27;

volatile uint32_t& device(uintptr_t address) {
    return *reinterpret_cast<volatile uint32_t*>(address);
}

uint64_t ticks() {
    uint64_t count;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count));
    return count;
}

enum class Timer : uint64_t { off, on };  // CNTV_CTL_EL0.ENABLE
void set_timer(Timer state) {
    asm volatile("msr cntv_ctl_el0, %0\n\tisb" : : "r"(static_cast<uint64_t>(state)));
}

}  // namespace

void start_machine() {
    // With its FIFO off, the line would carry a byte at a time.
    device(uart + uart_line) = eight_bits_with_fifo;
    device(uart + uart_control) = on_both_ways;
    constexpr uint64_t users_read_virtual_count = 1U << 1U;
    asm volatile("msr cntkctl_el1, %0" : : "r"(users_read_virtual_count));
    disarm_timer();
    constexpr uint8_t middle_priority = 0x80;
    *reinterpret_cast<volatile uint8_t*>(distributor + distributor_priority + timer_interrupt) =
        middle_priority;
    device(distributor + distributor_enable) = 1U << timer_interrupt;
    device(distributor + distributor_control) = 1;
    device(interrupt_interface + interface_priority_mask) = lets_all_through;
    device(interrupt_interface + interface_control) = 1;
}

void write_console(const char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        while ((device(uart + uart_flags) & cannot_send) != 0) {
        }
        device(uart + uart_data) = static_cast<uint8_t>(bytes[i]);
    }
}

bool console_has_input() {
    return (device(uart + uart_flags) & no_input) == 0;
}

size_t read_console(char* bytes, size_t size) {
    size_t count = 0;
    while (count < size && console_has_input()) {
        bytes[count++] = static_cast<char>(device(uart + uart_data));
    }
    return count;
}

uint64_t nanoseconds() {
    return ticks() * clock_resolution;
}

void arm_timer(uint64_t in_nanoseconds) {
    asm volatile("msr cntv_cval_el0, %0" : : "r"(ticks() + in_nanoseconds / clock_resolution));
    set_timer(Timer::on);
}

void disarm_timer() {
    set_timer(Timer::off);
}

Interrupt interrupt_of(entry::Cause cause) {
    if ((cause & entry::cause::irq) == 0) {
        return Interrupt::unknown;
    }
    const uint32_t which = device(interrupt_interface + interface_acknowledge);
    // One that was withdrawn meanwhile can only have been the timer's, and wants no answer.
    if ((which & interrupt_number) == no_interrupt) {
        return Interrupt::timer;
    }
    device(interrupt_interface + interface_end) = which;
    return (which & interrupt_number) == timer_interrupt ? Interrupt::timer : Interrupt::unknown;
}

void idle(uint64_t nanoseconds) {
    arm_timer(nanoseconds);
    // Ends with the interrupt pending, taken or not (Arm ARM, "Wait for Interrupt"); so interrupts
    // stay off and none can slip in before it.
    asm volatile("dsb sy\n\twfi" : : : "memory");
    disarm_timer();
}

void power_off(int status) {
    entry::port::interrupts_off();
    if (status != 0) {
        constexpr uint64_t exit = 0x18;                 // SYS_EXIT
        constexpr uint64_t application_exit = 0x20026;  // ADP_Stopped_ApplicationExit
        const uint64_t block[2] = {application_exit, static_cast<uint64_t>(status) & 0xffU};
        kerntoll_nano_semihosting(exit, block);
    }
    constexpr uint64_t system_off = 0x84000008;  // PSCI
    register uint64_t function asm("x0") = system_off;
    asm volatile("hvc #0" : "+r"(function) : : "memory");
    for (;;) {
        asm volatile("wfi");
    }
}

}  // namespace kerntoll::nano::arch
