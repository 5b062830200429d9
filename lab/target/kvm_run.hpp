// SPDX-License-Identifier: MIT
// The two halves of the KVM self-test: the guest, which differs between host architectures, and the
// child process that keeps the lab safe from it.
#pragma once

#include <chrono>
#include <optional>

#include "lab/base/error.hpp"
#include "lab/target/kvm_probe.hpp"

namespace kerntoll::lab {

/// Builds the machine and runs it to the end of its second system call. May hang with a broken KVM:
/// call it in a child with a time limit. Only where kvm_probe.cpp says so is there one.
[[nodiscard]] KvmReport run_kvm_guest();

/// Runs `guest` in a child that is ended after `at_most`, so that whatever a broken KVM does to it,
/// the lab goes on. Nothing where the child gave no report. Fault::interrupted, Fault::environment.
[[nodiscard]] Result<std::optional<KvmReport>> run_in_child(KvmReport (*guest)(),
                                                            std::chrono::milliseconds at_most);

}  // namespace kerntoll::lab
