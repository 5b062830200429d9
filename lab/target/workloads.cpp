// SPDX-License-Identifier: MIT
#include "lab/target/workloads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/base/nearest.hpp"

namespace kerntoll::lab {

std::string no_such_workload(std::string_view workload,
                             std::span<const std::string_view> there_are) {
    const auto meant = nearest(workload, there_are);
    return fmt::format("there is no workload '{}'; {}here {} {}", workload,
                       meant ? fmt::format("did you mean '{}'? T", *meant) : "t",
                       there_are.size() == 1 ? "is" : "are", fmt::join(there_are, ", "));
}

}  // namespace kerntoll::lab
