// SPDX-License-Identifier: MIT
// Makes calls and faults with values of its own in all registers, in the midst of which NMIs come,
// and waits in user mode for a machine check (tests/nano/event_test.cpp sends them).
#include "program.hpp"
#include "signals.hpp"

extern "C" long kerntoll_canary(uint64_t seed, long number, long rounds);

namespace kerntoll::programs {

namespace {

constexpr uint64_t seed = 0x1234'5678'9abc'0000;
constexpr uint64_t other_seed = 0x0fed'cba9'8765'0001;
constexpr long spin = -1;
constexpr long fault = -2;
constexpr int trapped = 5;
constexpr int bus = 7;
constexpr int segment = 11;

volatile int seen = 0;

/// Leaves no register as it was.
void note(int number, void*, void*) {
    seen = number;
    kerntoll_canary(other_seed, static_cast<long>(Call::getpid), 1);
}

// Where a context has them, in words.
constexpr size_t rip = 21;
constexpr size_t rflags = 22;
constexpr uint64_t single_step = 1U << 8U;

uint16_t of_users = 0;

/// Goes on behind the load of two bytes that faulted.
void skip(int, void*, void* context) {
    static_cast<uint64_t*>(context)[rip] += 2;
}

/// The same, with a stack segment that no user may have: where the kernel believes it, IRET faults,
/// and this is called once more.
void skip_with_bad_segment(int, void*, void* context) {
    constexpr size_t ss = 4 * (rflags + 1) + 3;  // behind cs, gs and fs
    constexpr uint16_t of_the_kernel = 0x10;
    auto* const half = static_cast<uint16_t*>(context);
    if (half[ss] == of_the_kernel) {
        half[ss] = of_users;
    } else {
        of_users = half[ss];
        half[ss] = of_the_kernel;
        skip(0, nullptr, context);
    }
}

/// The same, and the next instruction ends in a trap.
void skip_and_step(int, void*, void* context) {
    auto* const word = static_cast<uint64_t*>(context);
    word[rip] += 2;
    word[rflags] |= single_step;
}
volatile int steps = 0;
void stop_stepping(int, void*, void* context) {
    steps = steps + 1;
    static_cast<uint64_t*>(context)[rflags] &= ~single_step;
}

/// Spins until a signal has come.
void wait_for(const char* what, int number) {
    seen = 0;
    print(what);
    print("\n");
    long bad = 0;
    while (seen == 0) {
        const long now = kerntoll_canary(seed, spin, 1);
        bad = bad != 0 ? bad : now;
    }
    expect("the signal", seen, number);
    expect("no register was lost", bad, 0);
    expect("and calls work", agent::process_id(), 1);
}

}  // namespace

void run() {
    expect("no register was lost in calls",
           kerntoll_canary(seed, static_cast<long>(Call::getpid), 3), 0);
    handle(segment, skip);
    expect("nor in a fault", kerntoll_canary(seed, fault, 1), 0);
    handle(segment, skip_with_bad_segment);
    expect("nor where a return fails", kerntoll_canary(seed, fault, 1), 0);
    handle(segment, skip_and_step);
    handle(trapped, stop_stepping);
    expect("nor in a single step", kerntoll_canary(seed, fault, 1), 0);
    expect("steps", steps, 1);
    handle(bus, note);
    wait_for("ready for a machine check", bus);
}

}  // namespace kerntoll::programs
