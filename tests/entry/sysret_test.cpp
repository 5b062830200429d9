// SPDX-License-Identifier: MIT
// When SYSRET may end a call. TCG's SYSRET faults in user mode, so no machine here could show a
// wrong answer.
#include <gtest/gtest.h>

#include <random>

#include "sysret_model.hpp"

namespace kerntoll::entry_test {

namespace {

using entry::sysret_is_safe;
using entry::UserState;

constexpr uint64_t limit = (uint64_t{1} << 47U) - 4096;
constexpr uint64_t flags = 0x246;

constexpr UserState as_syscall_left_it(uint64_t rip, uint64_t rflags = flags) {
    return {.rip = rip, .rflags = rflags, .rcx = rip, .r11 = rflags, .cs = USER_CS, .ss = USER_SS};
}

static_assert(sysret_is_safe(as_syscall_left_it(0x401000), limit));

/// TCG's SYSCALL clears the direction flag, whatever it is told.
TEST(Syscall, ClearsEachFlagThatWouldHarmTheKernel) {
    for (const unsigned bit : {8U, 9U, 10U, 12U, 13U, 14U, 16U, 18U}) {
        EXPECT_NE(entry::cleared_by_syscall >> bit & 1U, 0U) << "bit " << bit;
    }
}

TEST(Sysret, EndsAnOrdinaryCall) {
    for (const uint64_t rip : {uint64_t{0}, uint64_t{0x1000}, uint64_t{0x7fff'ffff}, limit - 1}) {
        EXPECT_TRUE(sysret_is_safe(as_syscall_left_it(rip), limit)) << std::hex << rip;
    }
}

TEST(Sysret, DoesNotLeaveTheUsersHalf) {
    for (const uint64_t rip :
         {limit, limit + 1, uint64_t{1} << 47U, (uint64_t{1} << 47U) - 1, uint64_t{1} << 48U,
          uint64_t{1} << 63U, uint64_t{0xffff'8000'0000'0000}, ~uint64_t{0}}) {
        EXPECT_FALSE(sysret_is_safe(as_syscall_left_it(rip), limit)) << std::hex << rip;
    }
    EXPECT_FALSE(sysret_is_safe(as_syscall_left_it(0x4000'0000), 0x4000'0000));
}

TEST(Sysret, RestoresNothingButWhatSyscallTook) {
    UserState state = as_syscall_left_it(0x401000);
    state.rip += 2;
    EXPECT_FALSE(sysret_is_safe(state, limit));
    state = as_syscall_left_it(0x401000);
    state.rflags ^= 1;
    EXPECT_FALSE(sysret_is_safe(state, limit));
    for (const uint64_t selector :
         {uint64_t{0}, uint64_t{0x08}, uint64_t{0x33}, uint64_t{0x1002b}}) {
        state = as_syscall_left_it(0x401000);
        state.cs = selector;
        EXPECT_FALSE(sysret_is_safe(state, limit)) << selector;
        state = as_syscall_left_it(0x401000);
        state.ss = selector;
        EXPECT_FALSE(sysret_is_safe(state, limit)) << selector;
    }
}

TEST(Sysret, LeavesSingleStepAndResumeToIret) {
    for (const unsigned bit : {8U, 16U, 17U}) {
        const UserState state = as_syscall_left_it(0x401000, flags | uint64_t{1} << bit);
        EXPECT_FALSE(sysret_is_safe(state, limit)) << bit;
    }
    for (const unsigned bit : {0U, 2U, 6U, 7U, 10U, 11U, 14U, 18U, 21U}) {
        const UserState state = as_syscall_left_it(0x401000, flags | uint64_t{1} << bit);
        EXPECT_TRUE(sysret_is_safe(state, limit)) << bit;
    }
}

/// States near the ones that SYSCALL leaves, where mistakes are: each of the six words as it was,
/// with a bit changed, or anything.
TEST(Sysret, DoesWhatIretWouldWhereverItIsChosen) {
    std::mt19937_64 random(1);
    const auto disturbed = [&](uint64_t word) {
        switch (random() % 8) {
            case 0:
                return word ^ uint64_t { 1 } << random() % 64;
            case 1:
                return uint64_t{random()};
            default:
                return word;
        }
    };
    size_t chosen = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const uint64_t rip = random() >> (17 + random() % 20);
        const uint64_t rflags = (random() & 0x240dd5) | 0x202;
        UserState state = as_syscall_left_it(rip, rflags);
        if (i % 2 == 0) {
            state = {.rip = disturbed(state.rip),
                     .rflags = disturbed(state.rflags),
                     .rcx = disturbed(state.rcx),
                     .r11 = disturbed(state.r11),
                     .cs = disturbed(state.cs),
                     .ss = disturbed(state.ss)};
        }
        const uint64_t border = i % 3 == 0 ? 0x4000'0000 : limit;
        ASSERT_EQ(mistake(state, border), nullptr) << mistake(state, border);
        chosen += sysret_is_safe(state, border) ? 1 : 0;
    }
    EXPECT_GT(chosen, 100'000U);
}

}  // namespace

}  // namespace kerntoll::entry_test
