// SPDX-License-Identifier: MIT
// The part of the KVM self-test that differs between host architectures.
#pragma once

#include "lab/target/kvm_probe.hpp"

namespace kerntoll::lab {

/// Builds the machine and runs it to the end of its second system call. May hang with a broken KVM:
/// call it in a child with a time limit. Only where kvm_probe.cpp says so is there one.
[[nodiscard]] KvmReport run_kvm_guest();

}  // namespace kerntoll::lab
