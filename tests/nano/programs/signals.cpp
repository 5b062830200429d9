// SPDX-License-Identifier: MIT
// Handlers: when they run, what they are told, what is blocked meanwhile, and what becomes of the
// call that they interrupt.
#include "signals.hpp"

#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

namespace {

constexpr int user_1 = 10;
constexpr int user_2 = 12;
constexpr int segment = 11;
constexpr int trap_number = 5;

// volatile: handlers change them.
volatile int count = 0;
volatile int depth = 0;
volatile int deepest = 0;
volatile int second_seen_at = 0;
volatile long told_number = 0;
volatile uintptr_t told_address = 0;
volatile int told_pid = 0;
volatile int told_user = -1;
volatile int told_code = 0;
volatile long parent_of_pending = 0;
volatile long child_of_pending = 0;

struct Sender {
    int pid;
    int user;
};
struct Info {
    int number;
    int error;
    int code;
    int padding;
    union {
        uintptr_t address;
        Sender sender;
    };
};

long send(long number) {
    return raw_call(call_kill, agent::process_id(), number, 0, 0);
}

void note(int number, void* info, void*) {
    count = count + 1;
    told_number = number;
    told_address = static_cast<Info*>(info)->address;
    told_pid = static_cast<Info*>(info)->sender.pid;
    told_user = static_cast<Info*>(info)->sender.user;
    told_code = static_cast<Info*>(info)->code;
}

void note_and_skip(int number, void* info, void* context) {
    note(number, info, context);
    skip_instruction(context, number);
}

/// Sends itself the same signal and another one, which tells what is blocked.
void nest(int, void*, void*) {
    depth = depth + 1;
    deepest = depth > deepest ? depth : deepest;
    count = count + 1;
    if (count < 3) {
        send(user_1);
        send(user_2);
    }
    depth = depth - 1;
}

void second(int, void*, void*) {
    second_seen_at = depth;
}

void handlers() {
    handle(user_1, note);
    expect("kill", send(user_1), 0);
    expect("the handler ran", count, 1);
    expect("and was told the number", told_number, user_1);
    expect("and the sender", told_pid, agent::process_id());
    expect("and whose it is", told_user, 0);
    expect("and that it was a kill", told_code, 0);

    handle(trap_number, note_and_skip);
    trap();
    expect("a trap's handler ran and was obeyed", told_number, trap_number);

    handle(segment, note_and_skip);
    constexpr uintptr_t nowhere = 0x1000'0010;
    read_byte(nowhere);
    expect("a fault's handler ran", told_number, segment);
    expect("and was told the address", static_cast<long>(told_address), told(nowhere));
    expect("and that nothing is there", told_code, 1);
    read_byte(kernel_addresses[0]);
    expect("of the kernel neither", told_code, 1);
    static const char constant = 1;
    write_byte(reinterpret_cast<uintptr_t>(&constant));
    expect("and that something is there, but not to write", told_code, 2);
}

volatile long wrong_addresses = 0;
constexpr uintptr_t somewhere = 0x1000'0018;

void check_address(int number, void* info, void* context) {
    wrong_addresses =
        wrong_addresses + (static_cast<Info*>(info)->address != told(somewhere) ? 1 : 0);
    skip_instruction(context, number);
}

/// A timer's interrupt at the moment of a fault must not take the fault's address away.
void faults_among_interrupts() {
    const long other = agent::arch::fork_child(17);
    if (other == 0) {
        for (;;) {
        }
    }
    handle(segment, check_address);
    for (int i = 0; i < 100'000; ++i) {
        read_byte(somewhere);
    }
    expect("addresses that were another's", wrong_addresses, 0);
    raw_call(call_kill, other, 9, 0, 0);
    kernel<Call::wait4>(other, 0, 0, 0);
}

void blocking() {
    count = 0;
    handle(user_2, second);
    handle(user_1, nest);
    send(user_1);
    expect("one after the other", count, 3);
    expect("a signal is blocked while its handler runs", deepest, 1);
    expect("another is not", second_seen_at, 1);

    count = 0;
    second_seen_at = -1;
    handle(user_1, nest, with_info, 1UL << (user_2 - 1));
    send(user_1);
    expect("unless the handler says so", second_seen_at, 0);

    count = 0;
    deepest = 0;
    handle(user_1, nest, with_info | not_blocked);
    send(user_1);
    expect("SA_NODEFER nests", deepest, 3);
}

/// In a handler, so that the signal stays pending: a child does not inherit it.
void fork_with_pending(int, void*, void*) {
    if (count != 0) {
        count = count + 1;
        return;
    }
    count = 1;
    send(user_1);
    parent_of_pending = agent::process_id();
    child_of_pending = agent::arch::fork_child(17);
}

void pending() {
    count = 0;
    handle(user_1, fork_with_pending);
    send(user_1);
    if (agent::process_id() != parent_of_pending) {
        agent::exit_process(count);
    }
    int status = -1;
    kernel<Call::wait4>(child_of_pending, agent::as_argument(&status), 0, 0);
    expect("what is pending stays with the parent", count, 2);
    expect("and the child has none of it", status, 1 << 8);
}

void one_shot() {
    count = 0;
    handle(user_1, note, with_info | 0x80000000);
    send(user_1);
    expect("SA_RESETHAND", end_of_child([] { send(user_1); }), user_1);
    expect("its handler had run", count, 1);
    handle(user_1, reinterpret_cast<Handler>(1));
    expect("ignored", send(user_1), 0);
    expect("no such signal", send(77), -22);
    expect("signal 0 asks only", send(0), 0);
    expect("nobody there", raw_call(call_kill, 1234, 0, 0, 0), -3);
    expect("SIGKILL has no handler", handle(9, note), -22);
}

/// A child signals the parent, which reads from an empty pipe; then it writes a byte.
long interrupted_read(uint64_t flags, bool handled) {
    count = 0;
    int ends[2] = {-1, -1};
    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    handle(user_1, handled ? note : reinterpret_cast<Handler>(1), flags);
    const long parent = agent::process_id();
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        raw_call(call_yield, 0, 0, 0, 0);
        raw_call(call_kill, parent, user_1, 0, 0);
        raw_call(call_yield, 0, 0, 0, 0);
        agent::write_some(ends[1], "x", 1);
        agent::exit_process(0);
    }
    char byte = 0;
    const long got = agent::read_some(ends[0], &byte, 1);
    while (kernel<Call::wait4>(child, 0, 0, 0) == -4) {
    }
    agent::close_file(ends[0]);
    agent::close_file(ends[1]);
    return got;
}

void interruption() {
    expect("a handler interrupts a read", interrupted_read(with_info, true), -4);
    expect("and ran", count, 1);
    expect("SA_RESTART goes on reading", interrupted_read(with_info | restart, true), 1);
    expect("and ran too", count, 1);
    expect("an ignored signal is not noticed", interrupted_read(0, false), 1);
}

/// Writes two pages into a pipe that holds one; how many the call says. Meanwhile a child sends a
/// signal, waits until that has been taken, and reads all there is.
long interrupted_write(int number, Handler handler, long& pages_read) {
    static char pages[2 * page_size];
    count = 0;
    int ends[2] = {-1, -1};
    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    handle(number, handler);
    const long parent = agent::process_id();
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        agent::close_file(ends[1]);
        for (int i = 0; i < 20; ++i) {
            raw_call(call_yield, 0, 0, 0, 0);
        }
        raw_call(call_kill, parent, number, 0, 0);
        for (int i = 0; i < 20; ++i) {
            raw_call(call_yield, 0, 0, 0, 0);
        }
        long size = 0;
        for (long got = 1; got > 0; size += got) {
            got = agent::read_some(ends[0], pages, sizeof pages);
        }
        agent::exit_process(size / static_cast<long>(page_size));
    }
    const long wrote = agent::write_some(ends[1], pages, sizeof pages);
    agent::close_file(ends[1]);
    int status = -1;
    while (kernel<Call::wait4>(child, agent::as_argument(&status), 0, 0) == -4) {
    }
    pages_read = status >> 8;
    agent::close_file(ends[0]);
    return wrote / static_cast<long>(page_size);
}

/// What a pipe has taken stays written, whatever happens before the rest is.
void partly_done() {
    long pages_read = 0;
    expect("a handler in the middle of a write: the pages so far",
           interrupted_write(user_1, note, pages_read), 1);
    expect("the handler ran", count, 1);
    expect("the reader has what was written", pages_read, 1);
    expect("a signal that is ignored, too",
           interrupted_write(user_1, reinterpret_cast<Handler>(1), pages_read), 1);
    expect("and nothing was written twice", pages_read, 1);

    static char pages[2 * page_size];
    int ends[2] = {-1, -1};
    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    handle(13, note);
    count = 0;
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        for (int i = 0; i < 20; ++i) {
            raw_call(call_yield, 0, 0, 0, 0);
        }
        agent::exit_process(0);
    }
    agent::close_file(ends[0]);
    expect("the reader goes away in the middle",
           agent::write_some(ends[1], pages, sizeof pages) / static_cast<long>(page_size), 1);
    expect("which is a SIGPIPE all the same", count, 1);
    agent::close_file(ends[1]);
    while (kernel<Call::wait4>(child, 0, 0, 0) == -4) {
    }
}

}  // namespace

void run() {
    handlers();
    faults_among_interrupts();
    blocking();
    pending();
    one_shot();
    interruption();
    partly_done();
}

}  // namespace kerntoll::programs
