// SPDX-License-Identifier: MIT
#include "lab/base/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace kerntoll::lab {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array words{"append"sv, "accel"sv, "arch"sv, "cpu"sv};

TEST(Nearest, FindsTheWordThatWasMeant) {
    EXPECT_EQ(nearest("apend", words), "append");
    EXPECT_EQ(nearest("acel", words), "accel");
    EXPECT_EQ(nearest("cpus", words), "cpu");
    EXPECT_EQ(nearest("cup", words), "cpu");
}

TEST(Nearest, PrefersTheNearerOfTwo) {
    constexpr std::array close{"arch"sv, "march"sv};
    EXPECT_EQ(nearest("marc", close), "march");
}

TEST(Nearest, GuessesNothingWhereNothingIsNear) {
    EXPECT_EQ(nearest("seccomp", words), std::nullopt);
    EXPECT_EQ(nearest("x", {}), std::nullopt);
}

}  // namespace
}  // namespace kerntoll::lab
