// SPDX-License-Identifier: MIT
// Treatments: what `setup` puts between the user and the kernel before anything is measured. Each
// is set for the rest of the process's life.
#pragma once

#include "agent/sentence.hpp"

namespace kerntoll::agent {

enum class Seccomp {
    off,
    allow,      ///< a filter that allows everything: the kernel answers it from its bitmap
    arguments,  ///< a filter that looks at an argument, then allows: the kernel must run it
};

[[nodiscard]] Outcome set_up_seccomp(Seccomp how);

/// Arms syscall user dispatch with a selector that lets every call through: the kernel takes its
/// slow path and reads the selector from user memory at each call. Kernels without the generic
/// entry code lack it (arm64 before its conversion, for one).
[[nodiscard]] Outcome set_up_user_dispatch();

/// Registers an rseq area for the thread, as glibc since 2.35 does for every program.
[[nodiscard]] Outcome set_up_rseq();

}  // namespace kerntoll::agent
