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
constexpr int bus = 7;
constexpr int segment = 11;

volatile int seen = 0;

/// Leaves no register as it was.
void note(int number, void*, void*) {
    seen = number;
    kerntoll_canary(other_seed, static_cast<long>(Call::getpid), 1);
}

/// Goes on behind the load of two bytes that faulted.
void skip(int, void*, void* context) {
    static_cast<uint64_t*>(context)[21] += 2;
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
    handle(bus, note);
    wait_for("ready for a machine check", bus);
}

}  // namespace kerntoll::programs
