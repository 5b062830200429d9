// SPDX-License-Identifier: MIT
#include "nano/syscall_work/tracer.hpp"

#include "nano/console.hpp"
#include "nano/hooks.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

struct Tracer {
    long from = 0;
    long to = 0;
    unsigned long entered = 0;
    unsigned long left = 0;
    unsigned long changed = 0;
};
constinit Tracer tracer;

}  // namespace

void start_tracer(long from, long to) {
    tracer.from = from;
    tracer.to = to;
    entry::set_work(current_task().kernel.thread.syscall_work, entry::syscall_work::ptrace);
}

void report_tracer() {
    print("nano: tracer entered=", tracer.entered, " left=", tracer.left,
          " changed=", tracer.changed, "\n");
}

bool Hooks::ptrace_enter(entry::Frame& frame, entry::Thread&) {
    constexpr long skip = -1;
    ++tracer.entered;
    if (tracer.from == tracer.to || entry::port::number(frame) != tracer.from) {
        return true;
    }
    ++tracer.changed;
    if (tracer.to == skip) {
        return false;
    }
    entry::port::set_number(frame, tracer.to);
    return true;
}

void Hooks::ptrace_exit(entry::Frame&, entry::Thread&) {
    ++tracer.left;
}

}  // namespace kerntoll::nano
