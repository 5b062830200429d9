// SPDX-License-Identifier: MIT
// What the doctor looks at, gathered apart from its judgement so that every judgement is tested
// without the machine it speaks of.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/host_facts.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::doctor {

/// How steady a workload's time is here.
struct NoiseFloor {
    double ns_per_op = 0;
    double within = 0;   ///< scatter of batches inside one process, robust, as a share of the time
    double between = 0;  ///< scatter of the processes' medians, likewise
    std::size_t processes = 0;
    std::chrono::nanoseconds batch{};  ///< length of one batch
};

/// Measures `getpid` of a target in several processes, one after the other, for about `duration` of
/// the target's own time, all on one CPU (-1: on any).
[[nodiscard]] Result<NoiseFloor> measure_noise(Target& target, std::chrono::nanoseconds duration,
                                               int cpu);

/// What there is for one guest architecture. An empty reason means that it works.
struct Tools {
    Arch arch = Arch::x86_64;
    std::string qemu;               ///< path and version
    std::string why_no_qemu;        ///< missing, or too old for Linux
    std::string cross_gcc;          ///< path; empty: not installed
    std::string cross_gcc_package;  ///< Debian's package; empty: Debian has none
};

struct Evidence {
    std::optional<Arch> host;
    HostNature nature;
    HostSettings settings;
    std::string why_no_counters;  ///< empty: they work
    std::string why_no_kvm;       ///< empty: it works
    std::string clang;            ///< path of the clang that builds guests; empty: not installed
    std::vector<Tools> tools;     ///< one for each row of the machine table
    std::optional<NoiseFloor> noise;
    std::string why_no_noise;  ///< what the probe failed with, where it did
};

/// Looks at this machine: reads settings below `root`, runs the KVM self-test, asks every QEMU for
/// its version, and probes the noise of `host` on `cpu` for `probe` (none where that is zero).
/// Fault::interrupted is the only error: all else is evidence.
[[nodiscard]] Result<Evidence> gather(std::chrono::nanoseconds probe, int cpu,
                                      const std::filesystem::path& root = "/");

}  // namespace kerntoll::lab::doctor
