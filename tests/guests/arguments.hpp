// SPDX-License-Identifier: MIT
// The command line of what stands in for QEMU.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

/// The value after `flag`, or of the argument that starts with `flag`.
inline std::string_view value_of(const std::vector<std::string_view>& arguments,
                                 std::string_view flag) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == flag && i + 1 < arguments.size()) {
            return arguments[i + 1];
        }
        if (arguments[i].starts_with(flag)) {
            return arguments[i].substr(flag.size());
        }
    }
    return "";
}
