// SPDX-License-Identifier: MIT
// The request `setup`: reads it whole before anything is changed, then carries it out.
#pragma once

#include <stdint.h>

#include "agent/sentence.hpp"
#include "agent/treatments.hpp"
#include "agent/workload.hpp"

namespace kerntoll::agent {

struct Setup {
    Seccomp seccomp = Seccomp::off;
    bool user_dispatch = false;
    bool rseq = false;
    bool has_pad = false;
    uint64_t pad = 0;
    size_t path_size = 0;  ///< 0: the default file
    char path[wire::max_path] = {};
};

[[nodiscard]] Outcome read_setup(Text payload, Setup& setup);

/// Carries a setup out. `sled_entry` is set where there is a pad.
[[nodiscard]] Outcome apply_setup(const Setup& setup, Fixture& fixture, const char*& sled_entry);

}  // namespace kerntoll::agent
