// SPDX-License-Identifier: MIT
// What arm64 returns to of a PSTATE that a user wrote.
#include <gtest/gtest.h>

#include <random>

#include "frame.hpp"

namespace kerntoll::entry_test {

namespace {

constexpr uintptr_t mode = 0x1f;          // M: EL0 with 64-bit code is 0
constexpr uintptr_t masks = 0xf << 6U;    // D, A, I, F
constexpr uintptr_t illegal = 1U << 20U;  // IL: the next instruction faults
constexpr uintptr_t single_step = 1U << 21U;
constexpr uintptr_t pan = 1U << 22U;
constexpr uintptr_t uao = 1U << 23U;

TEST(UserPstate, IsAUsersWhateverWasAskedFor) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 100'000; ++i) {
        const uintptr_t made = entry::user_pstate(random());
        ASSERT_EQ(made & (mode | masks | illegal | single_step | pan | uao), 0U)
            << std::hex << made;
        ASSERT_EQ(made >> 32U, 0U);
    }
    EXPECT_EQ(entry::user_pstate(~uintptr_t{0}) & mode, 0U);
}

TEST(UserPstate, KeepsTheConditionFlags) {
    for (uintptr_t condition = 0; condition < 16; ++condition) {
        EXPECT_EQ(entry::user_pstate(condition << 28U), condition << 28U);
    }
}

}  // namespace

}  // namespace kerntoll::entry_test
