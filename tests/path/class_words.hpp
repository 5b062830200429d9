// SPDX-License-Identifier: MIT
// How the tests write down what an instruction's class is.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "lab/path/classes.hpp"

namespace kerntoll::lab::path {

/// A class in words: "call indirect", "next barrier [dsb ish]".
inline std::string words(const Class& kind) {
    constexpr const char* flows[] = {"next", "jump", "branch",     "call",
                                     "ret",  "trap", "trap_return"};
    return fmt::format("{}{}{}{}{}", flows[static_cast<std::size_t>(kind.flow)],
                       kind.indirect ? " indirect" : "", kind.atomic ? " atomic" : "",
                       kind.barrier ? " barrier" : "",
                       kind.special.empty() ? "" : " [" + kind.special + "]");
}

struct Case {
    const char* text;
    const char* words;
};

inline void expect(Arch arch, std::initializer_list<Case> cases) {
    for (const Case& each : cases) {
        EXPECT_EQ(words(classify(arch, each.text)), each.words) << each.text;
    }
}

}  // namespace kerntoll::lab::path
