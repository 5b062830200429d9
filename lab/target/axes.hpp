// SPDX-License-Identifier: MIT
// The choices that an entry path of this project makes, in words: policy.def, which the path takes
// its types from, read by the lab.
#pragma once

#include <span>
#include <string_view>

namespace kerntoll::lab {

/// One value of an axis.
struct AxisValue {
    std::string_view spelling;  ///< as it is typed
    std::string_view meaning;
};

/// One choice. The first of its values is the default.
struct Axis {
    std::string_view name;
    std::span<const AxisValue> values;
    std::string_view posts;     ///< which posts try it ("S1 S2"), or "-"
    std::string_view decides;   ///< what it is about
    std::string_view gives_up;  ///< the security that a value gives up; empty where none does
    std::string_view ports;     ///< "all", "machines", or the ports that have such a step
};

/// All of them, in policy.def's order.
[[nodiscard]] std::span<const Axis> axes();

/// Whether a port ("riscv64", "hosted") has the step that the axis is about.
[[nodiscard]] bool has_axis(std::string_view port, const Axis& axis);

}  // namespace kerntoll::lab
