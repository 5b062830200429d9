// SPDX-License-Identifier: MIT
// Tasks: memory of their own, preemption, waiting, pipes, and that nothing is left behind.
#include "bits.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

volatile long own = 1;

void memory() {
    expect("a child has its own memory", end_of_child([] {
               own = 2;
               agent::exit_process(own);
           }),
           2 << 8);
    expect("and the parent keeps its", own, 1);
}

/// A child that never asks for anything and is killed by one that must get the processor for that.
void preemption() {
    const long spinner = agent::arch::fork_child(17);
    if (spinner == 0) {
        for (;;) {
            own = own + 1;
        }
    }
    const long parent = agent::process_id();
    expect("a pid", static_cast<long>(spinner > parent), 1);
    for (volatile long i = 0; i < 3'000'000; i = i + 1) {
    }
    int status = 0;
    expect("it runs still", kernel<Call::wait4>(spinner, agent::as_argument(&status), 1, 0), 0);
    raw_call(call_kill, spinner, 9, 0, 0);
    expect("killed while it computed",
           kernel<Call::wait4>(spinner, agent::as_argument(&status), 0, 0), spinner);
    expect("by SIGKILL", status, 9);
    expect("and gone", raw_call(call_kill, spinner, 0, 0, 0), -3);
    expect("no child is left", kernel<Call::wait4>(-1, 0, 0, 0), -10);
}

/// A signal that comes before a task's first instruction is dealt with before it. Now and then the
/// timer lets the child run before it is killed, but not every time.
void killed_before_it_began() {
    long lived = 0;
    constexpr long rounds = 50;
    for (long i = 0; i < rounds; ++i) {
        int ends[2] = {-1, -1};
        kernel<Call::pipe2>(agent::as_argument(ends), 0);
        const long child = agent::arch::fork_child(17);
        if (child == 0) {
            agent::write_some(ends[1], "x", 1);
            agent::exit_process(0);
        }
        raw_call(call_kill, child, 9, 0, 0);
        kernel<Call::wait4>(child, 0, 0, 0);
        agent::close_file(ends[1]);
        char byte = 0;
        lived += agent::read_some(ends[0], &byte, 1) != 0 ? 1 : 0;
        agent::close_file(ends[0]);
    }
    expect("a task that was killed before it began never began",
           static_cast<long>(lived < rounds / 2), 1);
}

void pipes() {
    static char out[10000];
    static char in[10000];
    for (size_t i = 0; i < sizeof out; ++i) {
        out[i] = static_cast<char>(i * 7);
    }
    int ends[2] = {-1, -1};
    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        agent::close_file(ends[0]);
        // More than the pipe holds, so that both wait for each other.
        agent::exit_process(agent::write_some(ends[1], out, sizeof out) == sizeof out ? 0 : 1);
    }
    agent::close_file(ends[1]);
    size_t size = 0;
    long got = 1;
    while (got > 0 && size < sizeof in) {
        got = agent::read_some(ends[0], in + size, 777);
        size += got > 0 ? static_cast<size_t>(got) : 0;
    }
    bool same = size == sizeof out;
    for (size_t i = 0; i < size; ++i) {
        same = same && in[i] == out[i];
    }
    expect("all bytes came, in order", same, 1);
    expect("then the end", agent::read_some(ends[0], in, 1), 0);
    int status = -1;
    kernel<Call::wait4>(child, agent::as_argument(&status), 0, 0);
    expect("the writer was content", status, 0);
    agent::close_file(ends[0]);

    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    agent::close_file(ends[0]);
    expect("SIGPIPE", end_of_child([&] { agent::write_some(ends[1], "x", 1); }), 13);
    handle(13, reinterpret_cast<Handler>(1));
    expect("EPIPE where that is ignored", agent::write_some(ends[1], "x", 1), -32);
    agent::close_file(ends[1]);
}

/// Memory that another task filled is zero when somebody else gets it.
void zeros() {
    static unsigned char all[8 * page_size];
    expect("a child fills its memory", end_of_child([] {
               for (unsigned char& byte : all) {
                   byte = 0xa5;
               }
           }),
           0);
    const long file = kernel<Call::memfd_create>(agent::as_argument("m"), 0);
    long sum = 0;
    for (long page = 0; page < 64; ++page) {
        constexpr auto size = static_cast<long>(page_size);
        agent::seek(file, page * size + size - 1, agent::Whence::set);
        agent::write_some(file, "", 1);
        agent::seek(file, page * size, agent::Whence::set);
        agent::read_some(file, all, page_size);
        for (size_t i = 0; i < page_size; ++i) {
            sum += all[i];
        }
    }
    expect("new pages are zero", sum, 0);
    agent::close_file(file);
}

/// Slots and memory come back, however often.
void many() {
    long bad = 0;
    for (int i = 0; i < 300; ++i) {
        bad += end_of_child([] {}) != 0 ? 1 : 0;
    }
    expect("300 children, one after the other", bad, 0);
    long children[8] = {};
    long made = 0;
    for (long& child : children) {
        child = agent::arch::fork_child(17);
        if (child == 0) {
            for (;;) {
                raw_call(call_yield, 0, 0, 0, 0);
            }
        }
        made += child > 0 ? 1 : 0;
    }
    expect("as many at once as there are slots", made, 3);
    expect("then EAGAIN", children[7], -11);
    for (const long child : children) {
        if (child > 0) {
            raw_call(call_kill, child, 9, 0, 0);
            kernel<Call::wait4>(child, 0, 0, 0);
        }
    }
    expect("a slot is free again", end_of_child([] {}), 0);
    int ends[2] = {-1, -1};
    bad = 0;
    for (int i = 0; i < 100; ++i) {
        bad += kernel<Call::pipe2>(agent::as_argument(ends), 0) != 0 ? 1 : 0;
        agent::close_file(ends[0]);
        agent::close_file(ends[1]);
        const long file = kernel<Call::memfd_create>(agent::as_argument("m"), 0);
        agent::write_some(file, "x", 1);
        bad += agent::close_file(file) != 0 ? 1 : 0;
    }
    expect("100 pipes and files, one after the other", bad, 0);
}

}  // namespace

void run() {
    memory();
    preemption();
    killed_before_it_began();
    pipes();
    zeros();
    many();
}

}  // namespace kerntoll::programs
