// SPDX-License-Identifier: MIT
#include "nano/syscall_work/audit.hpp"

#include "nano/console.hpp"
#include "nano/hooks.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

struct Audit {
    unsigned long entered = 0;
    unsigned long succeeded = 0;
    unsigned long failed = 0;
    long failed_number = 0;  ///< of the last that failed
    long failed_error = 0;
};
constinit Audit audit;

}  // namespace

void start_audit() {
    entry::set_work(current_task().kernel.thread.syscall_work, entry::syscall_work::audit);
}

void report_audit() {
    print("nano: audit entered=", audit.entered, " succeeded=", audit.succeeded,
          " failed=", audit.failed, " last number=", audit.failed_number,
          " error=", audit.failed_error, "\n");
}

void Hooks::audit_enter(entry::Frame&, entry::Thread&, long number) {
    ++audit.entered;
    current_task().audited_number = number;
}

void Hooks::audit_exit(entry::Frame& frame, entry::Thread&) {
    const long result = entry::port::result(frame);
    constexpr long least_error = -4095;
    if (result < 0 && result >= least_error) {
        ++audit.failed;
        audit.failed_number = current_task().audited_number;
        audit.failed_error = result;
    } else {
        ++audit.succeeded;
    }
}

}  // namespace kerntoll::nano
