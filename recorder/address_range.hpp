// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace kerntoll::recorder {

/// Addresses from low to below high.
struct AddressRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    [[nodiscard]] bool empty() const { return low >= high; }
    [[nodiscard]] bool holds(std::uint64_t address) const {
        return low <= address && address < high;
    }
};

}  // namespace kerntoll::recorder
