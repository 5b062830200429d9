// SPDX-License-Identifier: MIT
// Registers, integer and floating-point, are what they were after a call, a fault, a signal and a
// preemption: nobody lost one, and nothing of the kernel's is in them.
#include "bits.hpp"
#include "floats.hpp"
#include "program.hpp"
#include "signals.hpp"

extern "C" long kerntoll_canary(uint64_t seed, long number, long rounds);

namespace kerntoll::programs {

namespace {

constexpr uint64_t seed = 0x1234'5678'9abc'0000;
constexpr uint64_t other_seed = 0x0fed'cba9'8765'0001;
constexpr long spin = -1;
constexpr long fault = -2;
constexpr int user_1 = 10;
volatile long parent = 0;

/// A handler that leaves no register as it was.
void wipe(int, void*, void*) {
    kerntoll_canary(other_seed, static_cast<long>(Call::getpid), 1);
}

volatile long faults_seen = 0;

/// Goes on behind the load that failed.
void wipe_and_skip(int, void*, void* context) {
    faults_seen = faults_seen + 1;
    kerntoll_canary(other_seed, static_cast<long>(Call::getpid), 1);
    skip_instruction(context, 11);
}

void faults() {
    // The address is no address of a user on any port: some say SIGSEGV, some SIGBUS.
    handle(11, wipe_and_skip);
    handle(7, wipe_and_skip);
    expect("a fault", kerntoll_canary(seed, fault, 20), 0);
    expect("its handler ran", faults_seen, 20);
}

void calls() {
    expect("getpid", kerntoll_canary(seed, static_cast<long>(Call::getpid), 100), 0);
    expect("uname", kerntoll_canary(seed, static_cast<long>(Call::uname), 100), 0);
    expect("a call that is none", kerntoll_canary(seed, 100'000, 100), 0);
    expect("number -2^63", kerntoll_canary(seed, INT64_MIN + 1, 1), 0);
    expect("alone", kerntoll_canary(seed, spin, 3), 0);
}

/// Another task with other values in its registers, that yields and is preempted.
void tasks() {
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        long bad = kerntoll_canary(other_seed, spin, 20);
        bad = bad != 0 ? bad : kerntoll_canary(other_seed, call_yield, 2000);
        agent::exit_process(bad);
    }
    expect("preempted", kerntoll_canary(seed, spin, 20), 0);
    expect("yielding", kerntoll_canary(seed, call_yield, 2000), 0);
    int status = -1;
    kernel<Call::wait4>(child, agent::as_argument(&status), 0, 0);
    expect("the other task", status, 0);
}

/// What fork(2) copies is everything.
void inheritance() {
    constexpr uint64_t bits = 0x3ff1'2345'6789'abcd;
    set_float(bits);
    expect("a child begins with its parent's floating point",
           end_of_child([] { agent::exit_process(get_float() == bits ? 3 : 4); }), 3 << 8);
    expect("and the parent keeps it", get_float() == bits, 1);
}

void signals() {
    handle(user_1, wipe);
    parent = agent::process_id();
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        for (int i = 0; i < 200; ++i) {
            raw_call(call_kill, parent, user_1, 0, 0);
            raw_call(call_yield, 0, 0, 0, 0);
        }
        agent::exit_process(0);
    }
    expect("a handler in the middle", kerntoll_canary(seed, spin, 30), 0);
    expect("a handler behind a call", kerntoll_canary(seed, call_yield, 500), 0);
    while (kernel<Call::wait4>(child, 0, 0, 0) == -4) {
    }
}

}  // namespace

void run() {
    calls();
    faults();
    tasks();
    inheritance();
    signals();
}

}  // namespace kerntoll::programs
