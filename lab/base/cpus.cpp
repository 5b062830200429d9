// SPDX-License-Identifier: MIT
#include "lab/base/cpus.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstring>

namespace kerntoll::lab {

Result<std::vector<int>> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return fail(Fault::environment,
                    fmt::format("the usable CPUs cannot be told: {}", std::strerror(errno)));
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

}  // namespace kerntoll::lab
