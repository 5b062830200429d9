// SPDX-License-Identifier: MIT
#include "lab/target/axes.hpp"

#include <algorithm>
#include <array>
#include <ranges>

namespace kerntoll::lab {
namespace {

#define KERNTOLL_AXIS_VALUE(unused, identifier, spelling, meaning) AxisValue{spelling, meaning},
#define KERNTOLL_TYPE(type, values) \
    constexpr std::array values_of_##type{values(KERNTOLL_AXIS_VALUE, )};
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports)
#include "kerntoll/entry/policy.def"
#undef KERNTOLL_AXIS_VALUE

constexpr std::array table{
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports) \
    Axis{#axis, values_of_##type, posts, decides, gives_up, ports},
#include "kerntoll/entry/policy.def"
};

}  // namespace

std::span<const Axis> axes() {
    return table;
}

bool has_axis(std::string_view port, const Axis& axis) {
    if (axis.ports == "all") {
        return true;
    }
    if (axis.ports == "machines") {
        return port != "hosted";
    }
    return std::ranges::any_of(axis.ports | std::views::split(' '), [port](auto word) {
        return std::string_view(word.begin(), word.end()) == port;
    });
}

}  // namespace kerntoll::lab
