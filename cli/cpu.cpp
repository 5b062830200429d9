// SPDX-License-Identifier: MIT
#include "cli/cpu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace kerntoll::cli {
namespace {

lab::Result<std::vector<int>> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return lab::fail(lab::Fault::environment,
                         fmt::format("the usable CPUs cannot be told: {}; name one with --cpu",
                                     std::strerror(errno)));
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

}  // namespace

lab::Result<int> choose_cpu(std::optional<int> wish) {
    const auto cpus = usable_cpus();
    if (!cpus) {
        return wish ? lab::Result<int>(*wish) : std::unexpected(cpus.error());
    }
    if (!wish) {
        return cpus->back();
    }
    if (std::ranges::find(*cpus, *wish) == cpus->end()) {
        return lab::fail(lab::Fault::usage, fmt::format("--cpu {}: this process may run on {} only",
                                                        *wish, fmt::join(*cpus, ", ")));
    }
    return *wish;
}

}  // namespace kerntoll::cli
