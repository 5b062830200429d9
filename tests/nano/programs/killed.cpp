// SPDX-License-Identifier: MIT
// What a user must not do, each in a child of its own: the child is killed by the right signal, and
// everybody else goes on.
#include "bits.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

constexpr long trapped = 5;
constexpr long segment = 11;

uintptr_t forged_pc = 0;

void forge_in_handler(int, void*, void* context) {
    forge(context, forged_pc);
}

// Ends only where the stack does: nobody ever sets the byte.
long descend(volatile char* stop) {
    volatile char here[512];
    here[0] = 0;
    return *stop != 0 ? 0 : descend(stop) + here[0];
}

}  // namespace

void run() {
    for (const uintptr_t address : kernel_addresses) {
        expect("reading the kernel",
               end_of_child([=] { static_cast<void>(*reinterpret_cast<volatile char*>(address)); }),
               signal_of(address));
        expect("writing the kernel",
               end_of_child([=] { *reinterpret_cast<volatile char*>(address) = 1; }),
               signal_of(address));
        expect("jumping into the kernel",
               end_of_child([=] { reinterpret_cast<void (*)()>(address)(); }), signal_of(address));
    }
    expect("a null pointer",
           end_of_child([] { *reinterpret_cast<volatile char*>(uintptr_t{0}) = 1; }), segment);
    expect("writing text", end_of_child([] {
               *reinterpret_cast<volatile char*>(reinterpret_cast<uintptr_t>(&run)) = 1;
           }),
           segment);
    static char data[64] = {1};
    expect("executing data", end_of_child([] {
               reinterpret_cast<void (*)()>(reinterpret_cast<uintptr_t>(data) / 16 * 16)();
           }),
           signal_of_data);
    for (size_t i = 0; i < privileged_count; ++i) {
        expect("a privileged instruction", end_of_child([i] { run_privileged(i); }),
               privileged_signal);
    }
    expect("a trap", end_of_child([] { trap(); }), trapped);
    expect("running out of the stack", end_of_child([] {
               volatile char first = 0;
               descend(&first);
           }),
           segment);
    for (const uintptr_t address : kernel_addresses) {
        forged_pc = address;
        expect("a forged signal frame", end_of_child([] {
                   handle(10, forge_in_handler);
                   raw_call(call_kill, agent::process_id(), 10, 0, 0);
               }),
               signal_of(address));
    }
    expect("sigreturn without a signal", end_of_child([] { raw_call(call_sigreturn, 0, 0, 0, 0); }),
           segment);
    expect("a kill that cannot be handled", end_of_child([] {
               handle(9, forge_in_handler);
               raw_call(call_kill, agent::process_id(), 9, 0, 0);
           }),
           9);
    expect("an ordinary end", end_of_child([] { agent::exit_process(7); }), 7 << 8);
}

}  // namespace kerntoll::programs
