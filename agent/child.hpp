// SPDX-License-Identifier: MIT
// A child process that tells what it saw: the kernel gives it identities that no answer kept from
// before can name.
#pragma once

#include "agent/kernel.hpp"

namespace kerntoll::agent {

struct ChildReport {
    long clone_result = 0;  ///< the child's pid as clone told the parent, or a negative error
    long values[4] = {};    ///< what the child found
    bool complete = false;  ///< false where the child ended without telling
};

/// Runs look(values) in a child process and waits for it.
template <class Look>
[[nodiscard, gnu::cold]] ChildReport ask_child(Look look) {
    constexpr long child_ended = 17;  // SIGCHLD
    ChildReport report;
    int ends[2] = {-1, -1};
    if (const long failed = kernel<Call::pipe2>(as_argument(ends), 0); failed != 0) {
        report.clone_result = failed;
        return report;
    }
    report.clone_result = arch::fork_child(child_ended);
    if (report.clone_result == 0) {
        look(report.values);
        write_some(ends[1], report.values, sizeof report.values);
        exit_process(0);
    }
    close_file(ends[1]);
    if (report.clone_result > 0) {
        long got = 0;
        do {
            got = read_some(ends[0], report.values, sizeof report.values);
        } while (got == -error::interrupted);
        report.complete = got == static_cast<long>(sizeof report.values);
        while (kernel<Call::wait4>(report.clone_result, 0, 0, 0) == -error::interrupted) {
        }
    }
    close_file(ends[0]);
    return report;
}

}  // namespace kerntoll::agent
