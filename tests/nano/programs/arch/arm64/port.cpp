// SPDX-License-Identifier: MIT
// What only arm64 has.
#include "bits.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

constexpr long bus = 7;

long call_with_number_in_instruction() {
    register long x8 asm("x8") = static_cast<long>(Call::getpid);
    register long x0 asm("x0") = 0;
    asm volatile("svc #0x1234" : "+r"(x0) : "r"(x8) : "memory");
    return x0;
}

/// The condition flags behind a call that was made with others.
long flags_behind_call(long flags) {
    register long x8 asm("x8") = static_cast<long>(Call::getpid);
    register long x0 asm("x0") = 0;
    register long after asm("x9") = flags;
    asm volatile("msr nzcv, x9\n\tsvc #0\n\tmrs x9, nzcv"
                 : "+r"(x0), "+r"(after)
                 : "r"(x8)
                 : "cc", "memory");
    return after;
}

/// What the kernel uses for a moment while it is interrupted, and users may read.
long read_only_thread_pointer() {
    long value;
    asm volatile("mrs %0, tpidrro_el0" : "=r"(value));
    return value;
}

void calls() {
    expect("a number in the instruction means nothing", call_with_number_in_instruction(),
           agent::process_id());
    for (long flags = 0; flags < 16; ++flags) {
        expect("condition flags", flags_behind_call(flags << 28), flags << 28);
    }
    // Children make the kernel be interrupted.
    long seen = 0;
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        for (;;) {
            agent::process_id();
        }
    }
    for (int i = 0; i < 20000; ++i) {
        char name[400];
        kernel<Call::uname>(agent::as_argument(name));
        seen |= read_only_thread_pointer();
    }
    raw_call(call_kill, child, 9, 0, 0);
    kernel<Call::wait4>(child, 0, 0, 0);
    expect("nothing of the kernel's in TPIDRRO_EL0", seen, 0);
}

/// Whether a store-exclusive succeeds, behind a call or without one.
bool exclusive_outlives(bool call) {
    alignas(8) static long word = 0;
    register long x8 asm("x8") = static_cast<long>(Call::getpid);
    register long x0 asm("x0") = 0;
    long failed = -1;
    if (call) {
        asm volatile("ldxr x9, [%2]\n\tsvc #0\n\tstxr %w0, x9, [%2]"
                     : "=&r"(failed), "+r"(x0)
                     : "r"(&word), "r"(x8)
                     : "x9", "memory");
    } else {
        asm volatile("ldxr x9, [%1]\n\tstxr %w0, x9, [%1]"
                     : "=&r"(failed)
                     : "r"(&word)
                     : "x9", "memory");
    }
    return (failed & 1) == 0;
}

void exclusives() {
    expect("an exclusive access", exclusive_outlives(false) ? 1 : 0, 1);
    expect("ends in a call", exclusive_outlives(true) ? 1 : 0, 0);
}

void what_users_may() {
    alignas(64) static char line[256] = {1};
    long length;
    asm volatile("mrs %0, ctr_el0" : "=r"(length));
    asm volatile("mrs %0, dczid_el0" : "=r"(length));
    asm volatile("dc zva, %0" : : "r"(line + 64) : "memory");
    expect("zeroing a cache line", line[64], 0);
    asm volatile("dc cvau, %0\n\tic ivau, %0" : : "r"(line) : "memory");
    asm volatile("yield\n\twfe");
    expect("caches, wfe", line[0], 1);
    // Signs or does nothing; either way it comes back.
    long pointer = 0x1234'5678;
    asm volatile(".arch_extension pauth\n\tpacia %0, %1\n\tautia %0, %1"
                 : "+r"(pointer)
                 : "r"(17L));
    expect("a signature of one's own", pointer, 0x1234'5678);
}

void faults() {
    expect("an instruction that is not aligned", end_of_child([] {
               asm volatile("br %0" : : "r"(reinterpret_cast<uintptr_t>(&run) + 1));
           }),
           bus);
    expect("an undefined instruction", end_of_child([] { asm volatile("udf #0"); }), 4);
    expect("a call without a stack", end_of_child([] {
               register long x8 asm("x8") = static_cast<long>(Call::getpid);
               register long x0 asm("x0") = 0;
               long before;
               asm volatile("mov %1, sp\n\tmov x9, #0\n\tmov sp, x9\n\tsvc #0\n\tmov sp, %1"
                            : "+r"(x0), "=&r"(before)
                            : "r"(x8)
                            : "x9", "memory");
               agent::exit_process(x0 == agent::process_id() ? 3 : 4);
           }),
           3 << 8);
}

/// A forged PSTATE comes back as a user's: the program goes on, in its own mode.
void raise(int, void*, void* context) {
    static_cast<uint64_t*>(context)[56] = ~uint64_t{0};
}

void forged_pstate() {
    handle(10, raise);
    register long x8 asm("x8") = call_kill;
    register long x0 asm("x0") = agent::process_id();
    register long x1 asm("x1") = 10;
    long flags;
    asm volatile("svc #0\n\tmrs %1, nzcv"
                 : "+r"(x0), "=r"(flags)
                 : "r"(x1), "r"(x8)
                 : "memory", "cc");
    expect("kill", x0, 0);
    expect("it could set the condition flags", flags >> 28, 15);
    expect("and nothing else", end_of_child([] {
               asm volatile("mrs x0, sctlr_el1" : : : "x0");
           }),
           4);
}

}  // namespace

void run() {
    calls();
    exclusives();
    what_users_may();
    faults();
    forged_pstate();
}

}  // namespace kerntoll::programs
