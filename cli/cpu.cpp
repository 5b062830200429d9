// SPDX-License-Identifier: MIT
#include "cli/cpu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/base/cpus.hpp"

namespace kerntoll::cli {
lab::Result<int> choose_cpu(std::optional<int> wish) {
    const auto cpus = lab::usable_cpus();
    if (!cpus) {
        return std::unexpected(cpus.error());
    }
    if (!wish) {
        return cpus->back();
    }
    if (std::ranges::find(*cpus, *wish) == cpus->end()) {
        return lab::fail(lab::Fault::usage, fmt::format("CPU {}: this process may run on {} only",
                                                        *wish, fmt::join(*cpus, ", ")));
    }
    return *wish;
}

}  // namespace kerntoll::cli
