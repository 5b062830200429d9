// SPDX-License-Identifier: MIT
// What the processor looks up on its ways in: descriptors, gates, the task state segment and the
// MSRs of SYSCALL. One set of them per processor.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "sysret.hpp"

extern "C" {
extern const char kerntoll_entry_syscall[];
extern const char kerntoll_entry_vectors[];
}

namespace kerntoll::entry {

/// Model-specific registers.
namespace msr {
inline constexpr uint32_t efer = 0xc0000080;
inline constexpr uint32_t star = 0xc0000081;   // selectors of SYSCALL and SYSRET
inline constexpr uint32_t lstar = 0xc0000082;  // where SYSCALL goes
inline constexpr uint32_t cstar = 0xc0000083;  // and from 32-bit code, on AMD's processors
inline constexpr uint32_t fmask = 0xc0000084;  // flags that SYSCALL clears
inline constexpr uint32_t gs_base = MSR_GS_BASE;
inline constexpr uint32_t kernel_gs_base = 0xc0000102;

inline void write(uint32_t number, uint64_t value) {
    asm volatile("wrmsr"
                 :
                 : "c"(number), "a"(static_cast<uint32_t>(value)),
                   "d"(static_cast<uint32_t>(value >> 32U))
                 : "memory");
}
inline uint64_t read(uint32_t number) {
    uint32_t low;
    uint32_t high;
    asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return uint64_t{high} << 32U | low;
}
}  // namespace msr

/// They must not lie below a kernel stack, which, once it overflows, runs over what does: a double
/// fault can only be told while they are whole. All zero until install().
class Tables {
public:
    /// Bytes of each stack that a double fault, NMI, machine check or debug trap runs on.
    static constexpr size_t own_stack_size = 4096;

    /// Fills the tables in and makes them this processor's, which runs with interrupts off and in
    /// long mode; then as use(). The tables stay where they are.
    void install(Thread& thread) {
        descriptors_[KERNEL_CS / 8] = code;
        descriptors_[KERNEL_SS / 8] = data;
        descriptors_[USER_SS / 8] = data | user;
        descriptors_[USER_CS / 8] = code | user;
        set_task_segment();
        for (size_t vector = 0; vector < VECTORS; ++vector) {
            // INT3 is the only one that a user may ask for.
            gates_[vector] = gate(vector, own_stack_of(vector), vector == breakpoint ? 3 : 0);
        }
        load_segments();
        // SYSCALL: cs from bits 47:32, ss 8 above. SYSRET: ss 8 above bits 63:48, cs 16 above.
        msr::write(msr::star, uint64_t{USER_SS - 8} << 48U | uint64_t{KERNEL_CS} << 32U);
        msr::write(msr::lstar, reinterpret_cast<uint64_t>(kerntoll_entry_syscall));
        msr::write(msr::cstar, 0);  // there are no 32-bit code segments
        msr::write(msr::fmask, cleared_by_syscall);
        msr::write(msr::efer, msr::read(msr::efer) | syscall_enable);
        msr::write(msr::kernel_gs_base, 0);
        use(thread);
        // Last, since no flag keeps an NMI out: whatever comes finds its stack and a Thread.
        load_gates();
    }

    /// Makes a task the one whose stack the ways in take. Interrupts are off, and on the way out of
    /// the kernel they stay so. On each switch of tasks, and its Thread must not move afterwards.
    void use(Thread& thread) {
        thread.scratch = reinterpret_cast<uintptr_t>(&thread) - FRAME_SIZE;
        task_segment_.stack = reinterpret_cast<uintptr_t>(&thread);
        // An NMI may come before this line or behind it, and finds one of the two Threads.
        own_stack_[own_stack_of(VECTOR_NMI) - 1].thread = reinterpret_cast<uintptr_t>(&thread);
        msr::write(msr::gs_base, reinterpret_cast<uintptr_t>(&thread));
    }

private:
    static constexpr uint64_t syscall_enable = 1;
    static constexpr size_t breakpoint = 3;
    static constexpr size_t own_stacks = 4;

    struct Gate {
        uint16_t offset_low, selector;
        uint8_t own_stack, type;
        uint16_t offset_middle;
        uint32_t offset_high, zero;
    };
    struct [[gnu::packed]] TaskSegment {
        uint32_t zero;
        uint64_t stack;  ///< RSP0
        uint64_t unused[3];
        uint64_t own_stack[7];  ///< IST1 to IST7
        uint64_t unused_too;
        uint16_t unused_three, io_map;
    };
    static_assert(sizeof(TaskSegment) == 104 && sizeof(Gate) == 16);
    struct alignas(16) OwnStack {
        unsigned char bytes[own_stack_size];
        uintptr_t thread;  ///< of the task that runs, for the NMI's stub, which finds it here
    };
    static_assert(offsetof(OwnStack, thread) == own_stack_size && own_stack_size % 16 == 0);
    struct [[gnu::packed]] Pointer {
        uint16_t limit;
        uint64_t base;
    };

    /// Number of a vector's own stack, from 1; 0 where it takes the task's.
    static constexpr uint8_t own_stack_of(size_t vector) {
        switch (vector) {
            case VECTOR_DEBUG:
                return 1;
            case VECTOR_NMI:
                return 2;
            case VECTOR_DOUBLE_FAULT:
                return 3;
            case VECTOR_MACHINE_CHECK:
                return 4;
            default:
                return 0;
        }
    }
    static Gate gate(size_t vector, uint8_t own_stack, uint8_t privilege) {
        const auto way = reinterpret_cast<uintptr_t>(kerntoll_entry_vectors) + vector * VECTOR_SIZE;
        constexpr unsigned present_interrupt_gate = 0x8e;
        return {.offset_low = static_cast<uint16_t>(way),
                .selector = KERNEL_CS,
                .own_stack = own_stack,
                .type = static_cast<uint8_t>(present_interrupt_gate | unsigned{privilege} << 5U),
                .offset_middle = static_cast<uint16_t>(way >> 16U),
                .offset_high = static_cast<uint32_t>(way >> 32U),
                .zero = 0};
    }

    void set_task_segment() {
        task_segment_ = TaskSegment{};
        for (size_t i = 0; i < own_stacks; ++i) {
            task_segment_.own_stack[i] = reinterpret_cast<uintptr_t>(&own_stack_[i].thread);
        }
        task_segment_.io_map = sizeof task_segment_;  // beyond the end: no port is the user's
        const auto base = reinterpret_cast<uintptr_t>(&task_segment_);
        constexpr uint64_t present_task_segment = 0x89;
        descriptors_[TASK_SELECTOR / 8] = (sizeof task_segment_ - 1) | (base & 0xffffff) << 16U |
                                          present_task_segment << 40U | (base >> 24U & 0xff) << 56U;
        descriptors_[TASK_SELECTOR / 8 + 1] = base >> 32U;
    }
    void load_segments() {
        const Pointer descriptors{sizeof descriptors_ - 1,
                                  reinterpret_cast<uint64_t>(descriptors_)};
        asm volatile(
            "lgdt %0\n\t"
            "pushq %1\n\t"
            "leaq 1f(%%rip), %%rax\n\t"
            "pushq %%rax\n\t"
            "lretq\n"
            "1:\tmovl %2, %%ss\n\t"
            // What the user finds in these is its own: IRET clears those of the kernel's.
            "movl %3, %%ds\n\t"
            "movl %3, %%es\n\t"
            "movl %3, %%fs\n\t"
            "movl %3, %%gs\n\t"
            "lldt %w3\n\t"  // at reset there is one, at address 0, which may be a user's
            "ltr %w4"
            :
            : "m"(descriptors), "i"(KERNEL_CS), "r"(KERNEL_SS), "r"(0), "r"(TASK_SELECTOR)
            : "rax", "memory");
    }
    void load_gates() {
        const Pointer gates{sizeof gates_ - 1, reinterpret_cast<uint64_t>(gates_)};
        asm volatile("lidt %0" : : "m"(gates) : "memory");
    }

    /// Long-mode code and data, flat; both accessed already, so that the table may be read-only.
    static constexpr uint64_t code = 0x00af9b000000ffff;
    static constexpr uint64_t data = 0x00cf93000000ffff;
    static constexpr uint64_t user = 0x0000600000000000;

    alignas(16) uint64_t descriptors_[TASK_SELECTOR / 8 + 2] = {};
    alignas(16) Gate gates_[VECTORS] = {};
    alignas(16) TaskSegment task_segment_ = {};
    OwnStack own_stack_[own_stacks] = {};
};

}  // namespace kerntoll::entry
