// SPDX-License-Identifier: MIT
// A policy: one value for each axis of policy.def.
#pragma once

namespace kerntoll::entry {

#define KERNTOLL_ENUMERATOR(unused, identifier, spelling, meaning) identifier,
#define KERNTOLL_TYPE(type, values) \
    enum class type : unsigned char { values(KERNTOLL_ENUMERATOR, ) };
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports)
#include "kerntoll/entry/policy.def"
#undef KERNTOLL_ENUMERATOR

/// The choices of one entry path. A structural type, since it is a template parameter.
struct Policy {
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports) type axis = type{};
#include "kerntoll/entry/policy.def"

    friend constexpr bool operator==(const Policy&, const Policy&) = default;
};

// 1 where `macro` is defined as 1, 0 where it is not defined: the former pastes to a name that
// brings a comma along, which moves the 1 into second place.
#define KERNTOLL_IS_SET(macro) KERNTOLL_IS_SET_VALUE(macro)
#define KERNTOLL_IS_SET_VALUE(value) KERNTOLL_IS_SET_PASTED(KERNTOLL_COMMA_IF_##value)
#define KERNTOLL_IS_SET_PASTED(maybe_comma) KERNTOLL_IS_SET_SECOND(maybe_comma 1, 0, 0)
#define KERNTOLL_IS_SET_SECOND(first, second, ...) second
#define KERNTOLL_COMMA_IF_1 0,
#define KERNTOLL_CHOICE(axis, identifier, spelling, meaning) \
    KERNTOLL_IS_SET(KERNTOLL_##axis##_##identifier) != 0 ? Type::identifier:

/// The policy that the macros of this translation unit choose (policy.def says which).
consteval Policy chosen_policy() {
    Policy policy;
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports) \
    policy.axis = [] {                                                     \
        using Type = type;                                                 \
        return values(KERNTOLL_CHOICE, axis) Type{};                       \
    }();
#include "kerntoll/entry/policy.def"
    return policy;
}

#undef KERNTOLL_CHOICE
#undef KERNTOLL_COMMA_IF_1
#undef KERNTOLL_IS_SET_SECOND
#undef KERNTOLL_IS_SET_PASTED
#undef KERNTOLL_IS_SET_VALUE
#undef KERNTOLL_IS_SET

}  // namespace kerntoll::entry
