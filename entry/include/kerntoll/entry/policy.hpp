// SPDX-License-Identifier: MIT
// A policy: one value for each axis of policy.def.
#pragma once

// What find_package's targets found among the definitions of a kernel's.
#ifdef KERNTOLL_NO_SUCH_CHOICE
static_assert(false, "there is no choice " KERNTOLL_NO_SUCH_CHOICE
                     "; policy.def has those that there are, and kerntoll_entry_policy() of the "
                     "CMake package makes their macros");
#endif

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

namespace detail {
/// What a macro of a choice says.
enum class Said { nothing, yes, nonsense };

constexpr bool same_text(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}
/// `value` is what the macro becomes: its own name where it is not defined.
consteval Said said(const char* value, const char* name) {
    if (same_text(value, "1")) {
        return Said::yes;
    }
    return same_text(value, "0") || same_text(value, name) ? Said::nothing : Said::nonsense;
}
}  // namespace detail

#define KERNTOLL_TEXT(macro) KERNTOLL_TEXT_OF(macro)
#define KERNTOLL_TEXT_OF(value) #value
#define KERNTOLL_SAID(axis, identifier)                                            \
    ::kerntoll::entry::detail::said(KERNTOLL_TEXT(KERNTOLL_##axis##_##identifier), \
                                    "KERNTOLL_" #axis "_" #identifier)

// The stub knows the macros alone, by `#if`. What it could read another way than this file is no
// choice.
#define KERNTOLL_MAKES_SENSE(axis, identifier, spelling, meaning) \
    &&KERNTOLL_SAID(axis, identifier) != ::kerntoll::entry::detail::Said::nonsense
#define KERNTOLL_COUNT(axis, identifier, spelling, meaning) \
    +(KERNTOLL_SAID(axis, identifier) == ::kerntoll::entry::detail::Said::yes ? 1 : 0)
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports)          \
    static_assert(true values(KERNTOLL_MAKES_SENSE, axis),                          \
                  "KERNTOLL_" #axis                                                 \
                  "_<value> is defined as something else than 0 or 1; "             \
                  "define the value that is wanted as 1 and leave the others out"); \
    static_assert(0 values(KERNTOLL_COUNT, axis) <= 1,                              \
                  #axis " was given two values; define one of KERNTOLL_" #axis "_<value>");
#include "kerntoll/entry/policy.def"
#undef KERNTOLL_COUNT
#undef KERNTOLL_MAKES_SENSE

/// The policy that the macros of this translation unit choose (policy.def says which).
consteval Policy chosen_policy() {
    Policy policy;
#define KERNTOLL_CHOICE(axis, identifier, spelling, meaning) \
    KERNTOLL_SAID(axis, identifier) == detail::Said::yes ? Type::identifier:
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
#undef KERNTOLL_SAID
#undef KERNTOLL_TEXT_OF
#undef KERNTOLL_TEXT

}  // namespace kerntoll::entry
