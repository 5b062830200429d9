// SPDX-License-Identifier: MIT
#include "nano/syscall_work/tracepoint.hpp"

#include <stddef.h>

#include "nano/arch.hpp"
#include "nano/console.hpp"
#include "nano/hooks.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

enum class Point : uint8_t { enter, exit };

struct Record {
    uint64_t time;  ///< nanoseconds
    long pid;
    Point point;
    long value;  ///< number, or result
};
constexpr size_t ring_size = 64;
constinit Record ring[ring_size] = {};
constinit size_t written = 0;

void record(Point point, long value) {
    ring[written++ % ring_size] = {arch::nanoseconds(), current_task().pid, point, value};
}

}  // namespace

void start_tracepoint() {
    entry::set_work(current_task().kernel.thread.syscall_work, entry::syscall_work::tracepoint);
}

void report_tracepoint() {
    print("nano: tracepoint records=", written);
    if (written != 0) {
        const Record& last = ring[(written - 1) % ring_size];
        print(" last pid=", last.pid,
              last.point == Point::enter ? " number=" : " result=", last.value);
    }
    print("\n");
}

void Hooks::tracepoint_enter(entry::Frame&, entry::Thread&, long number) {
    record(Point::enter, number);
}

void Hooks::tracepoint_exit(entry::Frame& frame, entry::Thread&) {
    record(Point::exit, entry::port::result(frame));
}

}  // namespace kerntoll::nano
