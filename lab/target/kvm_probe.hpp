// SPDX-License-Identifier: MIT
// Whether KVM works here, proved and not assumed: /dev/kvm exists on machines where no guest's
// system call ever reaches its kernel.
#pragma once

#include <chrono>
#include <string>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Runs a guest of a few instructions with KVM's own interface, in a child process that is ended
/// after `at_most`: user code executes SYSCALL twice, and each must reach the handler at LSTAR with
/// privilege level 0 and come back by SYSRET. The error's message says in one clause why KVM is not
/// to be used ("…, so TCG" can follow it). Fault::environment always. Only x86_64 has this test;
/// on other machines and for guests of another architecture the answer is no.
[[nodiscard]] Result<void> prove_kvm(Arch guest,
                                     std::chrono::milliseconds at_most = std::chrono::seconds(3));

/// How far the guest came.
enum class KvmStep {
    started,         ///< nothing yet
    open_device,     ///< /dev/kvm
    create_machine,  ///< VM, memory, CPU and its registers
    run_guest,       ///< KVM_RUN failed
    guest_stopped,   ///< the guest ended in a way that has nothing to do with SYSCALL
    guest_fault,     ///< an exception in the guest; value: its vector
    wrong_level,     ///< SYSCALL reached the handler in ring 3
    lost_call,       ///< another value than the caller's arrived
    done,
};

/// What the child reports: plain data, it crosses a pipe.
struct KvmReport {
    KvmStep step = KvmStep::started;  ///< the one that failed, or done
    int error_number = 0;             ///< errno where a call failed
    unsigned value = 0;               ///< exit reason, exception vector or privilege level
    unsigned calls = 0;               ///< SYSCALLs that reached the handler before
};

/// The report in words; empty when it is done.
[[nodiscard]] std::string describe(const KvmReport& report);

}  // namespace kerntoll::lab
